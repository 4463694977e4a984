#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| nestled_soup::Reader::Interface.read(bytes));
