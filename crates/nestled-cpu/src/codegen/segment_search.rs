//! Segment search: finds the segment that contains a position, by binary search among the offsets of a segmentation.
//!
//! Positions are most often looked up in order, so that the segment found last and its successor are tried first, and then those behind them, in steps that
//! double (galloping search): a few empty segments in between cost a few steps, however many segments there are.

use super::function::Function;
use super::launch_table::Slot;
use super::text::Name;
use nestled_ir::ScalarType;

impl Function<'_, '_> {
    /// Emits a segment search: finds the segment of a level that contains a position of the next level.
    pub fn segment_of(&mut self, level: usize, offsets: &str, position: &str) -> Name {
        let count = self.number(Slot::Points(level), ScalarType::Idx).name;
        let last = self.last_segment(level);
        self.emit.define(format_args!(
            "call i64 @nestled.find(ptr {offsets}, i64 {count}, i64 {position}, ptr {last})"
        ))
    }

    /// Notes a segment of a level, at which the next search begins.
    pub fn begin_search_at(&mut self, level: usize, segment: &str) {
        let last = self.last_segment(level);
        self.set(&last, segment);
    }

    /// Returns the variable with the segment of a level found last; initially the first.
    fn last_segment(&mut self, level: usize) -> Name {
        if let Some(name) = self.last_segments.get(&level) {
            return name.clone();
        }
        let name = self.emit.variable("i64");
        let entry = self.emit.entry;
        self.emit.text.line(entry, format_args!("store i64 0, ptr {name}, align 8"));
        self.last_segments.insert(level, name.clone());
        name
    }
}

/// The function that searches, for every module with segments: finds the one of `n` segments that contains a position.
pub const SEGMENT_SEARCH: &str =
    "define internal i64 @nestled.find(ptr %offsets, i64 %n, i64 %at, ptr %last) nounwind noinline {
  %known = load i64, ptr %last, align 8
  %past = add i64 %known, 1
  %past.place = getelementptr inbounds i64, ptr %offsets, i64 %past
  %past.start = load i64, ptr %past.place, align 8
  %left = icmp slt i64 %at, %past.start
  %near = select i1 %left, i64 %known, i64 %past
  %there = icmp slt i64 %near, %n
  br i1 %there, label %look, label %search
look:
  %near.place = getelementptr inbounds i64, ptr %offsets, i64 %near
  %near.start = load i64, ptr %near.place, align 8
  %begun = icmp sle i64 %near.start, %at
  %end.place = getelementptr inbounds i64, ptr %near.place, i64 1
  %near.end = load i64, ptr %end.place, align 8
  %open = icmp slt i64 %at, %near.end
  %inside = and i1 %begun, %open
  br i1 %inside, label %found, label %elsewhere
elsewhere:
  br i1 %begun, label %gallop, label %search
found:
  store i64 %near, ptr %last, align 8
  ret i64 %near
gallop:
  %from = phi i64 [ %near, %elsewhere ], [ %to, %farther ]
  %step = phi i64 [ 1, %elsewhere ], [ %twice, %farther ]
  %to = add i64 %from, %step
  %exists = icmp slt i64 %to, %n
  br i1 %exists, label %farther, label %last.step
farther:
  %to.place = getelementptr inbounds i64, ptr %offsets, i64 %to
  %to.start = load i64, ptr %to.place, align 8
  %twice = shl i64 %step, 1
  %passed = icmp sle i64 %to.start, %at
  br i1 %passed, label %gallop, label %narrow
last.step:
  br label %narrow
narrow:
  %beyond = phi i64 [ %to, %farther ], [ %n, %last.step ]
  br label %head
search:
  br label %head
head:
  %low = phi i64 [ 0, %search ], [ %from, %narrow ], [ %low.next, %body ]
  %high = phi i64 [ %n, %search ], [ %beyond, %narrow ], [ %high.next, %body ]
  %width = sub i64 %high, %low
  %more = icmp sgt i64 %width, 1
  br i1 %more, label %body, label %done
body:
  %half = lshr i64 %width, 1
  %middle = add i64 %low, %half
  %place = getelementptr inbounds i64, ptr %offsets, i64 %middle
  %start = load i64, ptr %place, align 8
  %right = icmp sle i64 %start, %at
  %low.next = select i1 %right, i64 %middle, i64 %low
  %high.next = select i1 %right, i64 %high, i64 %middle
  br label %head
done:
  store i64 %low, ptr %last, align 8
  ret i64 %low
}

";
