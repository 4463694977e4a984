//! A line on the terminal that says how far something long is. Without a terminal there is none.

use std::io::{IsTerminal, Stderr, Write};
use std::time::{Duration, Instant};

/// How long something takes before anybody is told.
const LONG: Duration = Duration::from_secs(1);
/// The time between two lines.
const OFTEN: Duration = Duration::from_millis(100);

/// A line that is written anew with each number, and ends where it goes away.
pub struct Line<W: Write> {
    what: String,
    to: Option<W>,
    /// When the next line is due; the first at once, or where it takes long.
    due: Option<Instant>,
    is_begun: bool,
}

impl Line<Stderr> {
    /// A line that begins at once, and says every number.
    pub fn new(what: String) -> Line<Stderr> {
        Line { what, to: terminal(), due: None, is_begun: false }
    }

    /// A line that begins where it takes long.
    pub fn if_long(what: String) -> Line<Stderr> {
        Line { what, to: terminal(), due: Some(Instant::now() + LONG), is_begun: false }
    }
}

fn terminal() -> Option<Stderr> {
    let stderr = std::io::stderr();
    stderr.is_terminal().then_some(stderr)
}

impl<W: Write> Line<W> {
    /// Says how far it is, if it is time to.
    pub fn tell(&mut self, numbers: impl FnOnce() -> String) {
        self.tell_at(Instant::now(), numbers);
    }

    fn tell_at(&mut self, now: Instant, numbers: impl FnOnce() -> String) {
        let Some(to) = &mut self.to else { return };
        if let Some(due) = &mut self.due {
            if now < *due {
                return;
            }
            *due = now + OFTEN;
        }
        self.is_begun = true;
        // What a longer line left behind it is wiped away. Nobody is left to tell if the terminal is gone.
        let _ = write!(to, "\r{}: {}\x1b[K", self.what, numbers()).and_then(|()| to.flush());
    }
}

impl<W: Write> Drop for Line<W> {
    fn drop(&mut self) {
        if let (true, Some(to)) = (self.is_begun, &mut self.to) {
            let _ = writeln!(to);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers that are told at these times after the beginning, and what the terminal then has.
    fn told(due: Option<Instant>, start: Instant, times: &[u64]) -> String {
        let mut text = Vec::new();
        let mut line = Line { what: "reading a".to_owned(), to: Some(&mut text), due, is_begun: false };
        for &time in times {
            line.tell_at(start + Duration::from_millis(time), || format!("{time} of 9"));
        }
        drop(line);
        String::from_utf8(text).expect("text")
    }

    #[test]
    fn what_is_short_has_no_line() {
        let start = Instant::now();
        assert_eq!(told(Some(start + LONG), start, &[0, 500, 999]), "");
        assert_eq!(
            told(Some(start + LONG), start, &[0, 1000, 1001, 1099, 1100, 1150]),
            "\rreading a: 1000 of 9\x1b[K\rreading a: 1100 of 9\x1b[K\n"
        );
        assert_eq!(told(None, start, &[0, 1]), "\rreading a: 0 of 9\x1b[K\rreading a: 1 of 9\x1b[K\n");
    }

    #[test]
    fn without_a_terminal_there_is_no_line() {
        let mut line = Line::<Vec<u8>> { what: String::new(), to: None, due: None, is_begun: false };
        line.tell(|| panic!("nobody wants to know"));
    }
}
