//! The programs against plain loops at small sizes, and the command.

mod command;
mod given;
mod images;
mod irregular;
mod vectors;
