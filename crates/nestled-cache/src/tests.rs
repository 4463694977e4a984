//! The promises of the cache, each against a directory of its own.

use super::*;
use std::time::Duration;

/// A directory that goes with the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("nestled-cache-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Scratch(path)
    }

    fn files(&self, extension: &str) -> Vec<PathBuf> {
        let paths = fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().path());
        paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn source(number: u32) -> Source {
    Source::new(Kind::Kernel, &[&number.to_le_bytes()])
}

/// Makes a file as entries are made.
fn write_private(path: &Path, bytes: &[u8]) {
    let _ = fs::remove_file(path);
    place::create(path).and_then(|mut file| file.write_all(bytes)).unwrap();
}

#[test]
fn what_was_put_is_found_again() {
    let scratch = Scratch::new("again");
    DiskCache::at(&scratch.0, 1 << 20).put(&source(1), b"one");
    let cache = DiskCache::at(&scratch.0, 1 << 20);
    assert_eq!(cache.get(&source(1)).as_deref(), Some(&b"one"[..]));
    assert_eq!(cache.get(&source(2)), None);
    assert_eq!(cache.trouble(), None);
    cache.put(&source(3), b"");
    assert_eq!(cache.get(&source(3)).as_deref(), Some(&b""[..]));
    assert_eq!(scratch.files("partial"), Vec::<PathBuf>::new());
}

#[test]
fn what_cannot_be_read_is_removed() {
    let scratch = Scratch::new("unread");
    let cache = DiskCache::at(&scratch.0, 1 << 20);
    cache.put(&source(1), b"one");
    assert_eq!(cache.find(&source(1), |bytes| Some(bytes.len())), Some(3));
    assert_eq!(cache.find(&source(1), |_| None::<usize>), None);
    assert!(cache.trouble().unwrap().contains("makes no sense"), "{:?}", cache.trouble());
    assert_eq!(cache.find(&source(1), |bytes| Some(bytes.len())), None);
    assert_eq!(scratch.files("kernel"), Vec::<PathBuf>::new());
}

#[test]
fn the_directory_is_tagged_and_private() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new("tag");
    let cache = DiskCache::at(&scratch.0, 1 << 20);
    let tag = fs::read_to_string(scratch.0.join("CACHEDIR.TAG")).unwrap();
    assert!(tag.starts_with("Signature: 8a477f597d28d172789f06886806bc55"));
    assert_eq!(fs::metadata(&scratch.0).unwrap().permissions().mode() & 0o777, 0o700);
    drop(cache);
    fs::set_permissions(&scratch.0, fs::Permissions::from_mode(0o777)).unwrap();
    let cache = DiskCache::at(&scratch.0, 1 << 20);
    assert_eq!(cache.directory(), None);
    assert!(cache.trouble().unwrap().contains("others can write"), "{:?}", cache.trouble());
}

#[test]
fn entries_are_made_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new("modes");
    let cache = DiskCache::at(&scratch.0, 1 << 20);
    cache.put(&source(1), b"one");
    for entry in fs::read_dir(&scratch.0).unwrap() {
        let mode = entry.unwrap().metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600);
    }
}

/// What has the name and the bytes of an entry, and is none: it is not used, and nothing waits for it or follows it.
#[test]
fn only_private_ordinary_files_are_entries() {
    use std::os::unix::fs::{PermissionsExt, chown, symlink};
    let scratch = Scratch::new("kinds");
    let cache = DiskCache::at(&scratch.0, 1 << 20);
    let (path, aside) = (cache.path(source(1).key()).unwrap(), scratch.0.join("aside"));
    let refused = |why: &str| {
        assert_eq!(cache.get(&source(1)), None, "{why}");
        assert!(cache.trouble().unwrap().contains(why), "{:?}", cache.trouble());
    };
    let put = || {
        let _ = fs::remove_file(&path);
        cache.put(&source(1), b"one");
    };
    put();
    for mode in [0o620, 0o602, 0o666] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        refused("others can write to it");
        assert!(!path.exists());
        put();
    }
    fs::rename(&path, &aside).unwrap();
    symlink(&aside, &path).unwrap();
    refused("removed");
    assert!(aside.exists() && fs::symlink_metadata(&path).is_err(), "the link goes, what it leads to stays");
    symlink("/dev/zero", &path).unwrap();
    refused("removed");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    refused("it is not an ordinary file");
    fs::create_dir(&path).unwrap();
    refused("it is not an ordinary file");
    fs::remove_dir(&path).unwrap();
    put();
    // Only who may give files away can try this one.
    if chown(&path, Some(12_345), None).is_ok() {
        refused("others can write to it");
    }
}

#[test]
fn a_huge_entry_takes_no_memory() {
    let scratch = Scratch::new("huge");
    let cache = DiskCache::at(&scratch.0, 1 << 20);
    let path = cache.path(source(1).key()).unwrap();
    cache.put(&source(1), b"one");
    let mut whole = fs::read(&path).unwrap();
    whole[32..40].copy_from_slice(&((1u64 << 40) - entry::HEADER_SIZE as u64).to_le_bytes());
    write_private(&path, &whole);
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
    assert_eq!(cache.get(&source(1)), None);
    assert!(!path.exists());
}

#[test]
fn the_tag_follows_no_link() {
    let scratch = Scratch::new("tag-link");
    fs::create_dir_all(&scratch.0).unwrap();
    let target = scratch.0.join("target");
    std::os::unix::fs::symlink(&target, scratch.0.join("CACHEDIR.TAG")).unwrap();
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(&scratch.0, fs::Permissions::from_mode(0o700)).unwrap();
    let cache = DiskCache::at(&scratch.0, 1 << 20);
    assert!(cache.directory().is_some() && !target.exists());
}

#[test]
fn every_damage_is_seen_and_removed() {
    let scratch = Scratch::new("damage");
    let cache = DiskCache::at(&scratch.0, 1 << 20);
    let path = cache.path(source(1).key()).unwrap();
    cache.put(&source(1), b"the bytes of an object");
    let whole = fs::read(&path).unwrap();
    for position in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[position] ^= 1 << (position % 8);
        write_private(&path, &damaged);
        assert_eq!(cache.get(&source(1)), None, "byte {position}");
        assert!(!path.exists(), "byte {position}");
    }
    for length in 0..whole.len() {
        write_private(&path, &whole[..length]);
        assert_eq!(cache.get(&source(1)), None, "length {length}");
    }
    assert!(cache.trouble().unwrap().contains("damaged"));
    // An entry under the name of another is not taken for it.
    cache.put(&source(1), b"one");
    fs::rename(&path, cache.path(source(2).key()).unwrap()).unwrap();
    assert_eq!(cache.get(&source(2)), None);
    // And it can be put anew.
    cache.put(&source(2), b"two");
    assert_eq!(cache.get(&source(2)).as_deref(), Some(&b"two"[..]));
}

/// Somebody who looks for two sources with one hash finds some. What was made from one is not used for the other.
#[test]
fn a_forged_entry_under_the_right_name_is_not_used() {
    let scratch = Scratch::new("forged");
    let cache = DiskCache::at(&scratch.0, 1 << 20);
    let wanted = source(1);
    let same_size: Vec<u8> = wanted.bytes().iter().map(|byte| byte ^ 1).collect();
    for forged in [&same_size[..], b"", b"shorter", &[7; 500]] {
        cache.put(&wanted.colliding(forged), b"the code of another kernel");
        assert_eq!(cache.get(&wanted), None, "{forged:?}");
        assert_eq!(scratch.files("kernel"), Vec::<PathBuf>::new());
        cache.put(&wanted, b"ours");
        assert_eq!(cache.get(&wanted.colliding(forged)), None, "{forged:?}");
        cache.put(&wanted, b"ours");
        assert_eq!(cache.get(&wanted).as_deref(), Some(&b"ours"[..]));
    }
    cache.put(&wanted.colliding(&same_size), b"the code of another kernel");
    assert_eq!(cache.get(&wanted), None);
    assert!(cache.trouble().unwrap().contains("made from something else"), "{:?}", cache.trouble());
}

#[test]
fn the_least_recently_used_go_first() {
    let scratch = Scratch::new("lru");
    let entry = vec![7; 1000 - entry::HEADER_SIZE - source(0).bytes().len()];
    let cache = DiskCache::at(&scratch.0, 10_000);
    let now = SystemTime::now();
    for number in 0..10 {
        cache.put(&source(number), &entry);
        let file = fs::File::open(cache.path(source(number).key()).unwrap()).unwrap();
        file.set_modified(now - Duration::from_secs(1000 - u64::from(number))).unwrap();
    }
    assert_eq!(scratch.files("kernel").len(), 10, "all fit");
    assert!(cache.get(&source(0)).is_some(), "the oldest, used again");
    cache.put(&source(10), &entry);
    let left: Vec<u32> =
        (0..=10).filter(|&number| cache.path(source(number).key()).unwrap().exists()).collect();
    assert_eq!(left, [0, 5, 6, 7, 8, 9, 10], "7,500 bytes at most, the latest used ones");
}

#[test]
fn what_other_processes_write_counts_as_well() {
    let scratch = Scratch::new("others");
    let entry = vec![7; 1000 - entry::HEADER_SIZE - source(0).bytes().len()];
    let (ours, theirs) = (DiskCache::at(&scratch.0, 20_000), DiskCache::at(&scratch.0, 1 << 30));
    ours.put(&source(1000), &entry);
    (0..100).for_each(|number| theirs.put(&source(number), &entry));
    (0..3).for_each(|number| ours.put(&source(2000 + number), &entry));
    assert!(scratch.files("kernel").len() <= 20, "{}", scratch.files("kernel").len());
}

#[test]
fn forgotten_partial_files_go_and_fresh_ones_stay() {
    let scratch = Scratch::new("partial");
    let cache = DiskCache::at(&scratch.0, 1 << 20);
    let (old, fresh) = (scratch.0.join("1-0.partial"), scratch.0.join("2-0.partial"));
    fs::write(&old, b"half").unwrap();
    fs::write(&fresh, b"half").unwrap();
    let hours_ago = SystemTime::now() - Duration::from_secs(7200);
    fs::File::open(&old).unwrap().set_modified(hours_ago).unwrap();
    cache.put(&source(1), b"one");
    assert!(!old.exists());
    assert!(fresh.exists());
}

#[test]
fn a_directory_that_cannot_be_made_is_no_error() {
    let scratch = Scratch::new("file");
    fs::write(&scratch.0, b"a file, not a directory").unwrap();
    let cache = DiskCache::at(&scratch.0.join("kernels"), 1 << 20);
    cache.put(&source(1), b"one");
    assert_eq!(cache.get(&source(1)), None);
    assert!(cache.trouble().is_some());
    fs::remove_file(&scratch.0).unwrap();
}

/// As on a full disk: the directory is there, and writing to it fails. (Read-only permissions would not stop a superuser.)
#[test]
fn writing_that_fails_is_no_error() {
    let scratch = Scratch::new("gone");
    let cache = DiskCache::at(&scratch.0, 1 << 20);
    fs::remove_dir_all(&scratch.0).unwrap();
    cache.put(&source(1), b"one");
    assert_eq!(cache.get(&source(1)), None);
    assert!(cache.trouble().is_some());
}

/// Set, it makes the tests below the second process; the value is the directory.
const CHILD: &str = "NESTLED_TEST_CACHE_CHILD";

#[test]
fn two_processes_write_and_read_at_once() {
    if let Some(directory) = std::env::var_os(CHILD) {
        return write_and_read(Path::new(&directory));
    }
    let scratch = Scratch::new("processes");
    let test = std::env::current_exe().unwrap();
    let children: Vec<_> = (0..2)
        .map(|_| {
            let mut command = std::process::Command::new(&test);
            command.args(["--exact", "tests::two_processes_write_and_read_at_once"]);
            command.env(CHILD, &scratch.0).stdout(std::process::Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let left = scratch.files("kernel").len();
    assert!((1..=40).contains(&left), "{left}");
    assert_eq!(scratch.files("partial"), Vec::<PathBuf>::new());
}

/// The same entries in both processes, under a cap that makes both sweep all the time: what is found is right.
fn write_and_read(directory: &Path) {
    let cache = DiskCache::at(directory, 20_000);
    let bytes = |number: u32| number.to_le_bytes().repeat(200);
    let mut found = 0;
    for round in 0..600u32 {
        let number = round * 7 % 40;
        if let Some(entry) = cache.get(&source(number)) {
            assert_eq!(entry, bytes(number));
            found += 1;
        }
        cache.put(&source(number), &bytes(number));
    }
    assert!(found > 0);
    assert_eq!(cache.trouble(), None);
}

#[test]
fn variables_say_where_the_users_cache_is() {
    if let Some(expected) = std::env::var_os(CHILD) {
        let cache = DiskCache::open();
        assert_eq!(
            cache.directory().unwrap_or(Path::new("off")),
            Path::new(&expected),
            "{:?}",
            cache.trouble()
        );
        return;
    }
    let scratch = Scratch::new("variables");
    let (ours, xdg, home) = (scratch.0.join("ours"), scratch.0.join("xdg"), scratch.0.join("home"));
    let in_home = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
    let cases = [
        (Some(ours.as_path()), Some(xdg.as_path()), ours.clone()),
        (None, Some(&xdg), xdg.join("nestled/kernels")),
        (None, Some(Path::new("not/absolute")), home.join(in_home).join("nestled/kernels")),
        (None, None, home.join(in_home).join("nestled/kernels")),
        (Some(Path::new("")), Some(&xdg), PathBuf::from("off")),
    ];
    for (nestled, xdg, expected) in cases {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "tests::variables_say_where_the_users_cache_is"]).env("HOME", &home);
        for (name, value) in [("NESTLED_CACHE", nestled), ("XDG_CACHE_HOME", xdg)] {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let output = command.env(CHILD, &expected).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
    }
}

/// A writer that is killed at any moment leaves nothing that is taken for an entry.
#[test]
fn a_killed_writer_leaves_no_broken_entry() {
    if let Some(directory) = std::env::var_os(CHILD) {
        let cache = DiskCache::at(Path::new(&directory), 1 << 30);
        (0..1_000_000u32)
            .for_each(|number| cache.put(&source(number % 50), &number.to_le_bytes().repeat(20_000)));
        return;
    }
    let scratch = Scratch::new("killed");
    let cache = DiskCache::at(&scratch.0, 1 << 30);
    for millis in [20, 35, 50] {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "tests::a_killed_writer_leaves_no_broken_entry"]);
        let mut child = command.env(CHILD, &scratch.0).stdout(std::process::Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(millis));
        child.kill().unwrap();
        child.wait().unwrap();
        (0..50).for_each(|number| drop(cache.get(&source(number))));
        assert_eq!(cache.trouble(), None);
    }
    assert!((0..50).any(|number| cache.get(&source(number)).is_some()), "it came to write something");
}

#[test]
fn a_shared_cache_is_emptied_when_it_is_full() {
    let source = |name: &str| Source::new(Kind::Kernel, &[name.as_bytes()]);
    let cache = SharedCache::new(10 + 2 * source("a").bytes().len());
    let object = |len: usize| std::sync::Arc::from(vec![7; len]);
    cache.put(&source("a"), object(6));
    cache.put(&source("b"), object(4));
    assert_eq!(cache.get(&source("a")), Some(object(6)));
    assert_eq!(cache.get(&source("a").colliding(b"forged")), None, "the same key, made from something else");
    cache.put(&source("c"), object(1));
    assert_eq!([cache.get(&source("a")), cache.get(&source("b"))], [None, None]);
    cache.put(&source("d"), object(100));
    assert_eq!(cache.get(&source("d")), None);
}

/// Set, it makes the test below the second process.
const SIZE_CHILD: &str = "NESTLED_TEST_CACHE_SIZE_CHILD";

#[test]
fn the_users_cache_grows_as_far_as_the_user_says() {
    if std::env::var_os(SIZE_CHILD).is_some() {
        let cache = DiskCache::open();
        (0..100).for_each(|number| cache.put(&source(number), &[7; 4096]));
        assert_eq!(cache.trouble(), None);
        return;
    }
    let scratch = Scratch::new("size");
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "tests::the_users_cache_grows_as_far_as_the_user_says"]);
    command.env(SIZE_CHILD, "1").env("NESTLED_CACHE", &scratch.0).env("NESTLED_CACHE_SIZE", "64K");
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
    let kept = scratch.files(place::ENTRY_EXTENSION);
    let size: u64 = kept.iter().map(|path| fs::metadata(path).unwrap().len()).sum();
    assert!(size > 32 << 10 && size <= 64 << 10, "{size} bytes in {} entries", kept.len());
}
