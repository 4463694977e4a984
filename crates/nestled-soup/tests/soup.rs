//! A little soup for each reader with every run of the tests.

use nestled_soup::{Random, Reader, corpus, mutated};

#[test]
fn readers_take_files_and_mutated_ones() {
    for reader in Reader::ALL {
        let corpus = corpus(reader);
        for seed in 1..=150 {
            reader.read(&mutated(&corpus, &mut Random::seeded(seed)));
        }
    }
}
