//! Tests of the NESL front end, in one program.

mod common;
mod conversation_soup;
mod efficiency;
mod error_pages;
mod examples;
mod faults;
mod forward;
mod guide;
mod messages;
mod session_soup;
mod sessions;
mod soup;
mod strings;
mod tuples;
mod values;
