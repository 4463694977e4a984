//! Which stream a piece of work goes to, and which other streams it has to wait for.
//!
//! ```text
//! a = f(x)      stream 0
//! b = g(y)      stream 1: it needs nothing that is still being made
//! c = h(a, b)   stream 1, after an event of stream 0
//! ```
//!
//! Work has turns, which are numbered. Each piece of memory knows whose turn it was to write it, and the last turns in which each stream read it. Work that needs something unfinished goes to the
//! stream of the last of it, so that a chain stays on one stream and costs no events; an event is recorded only where something is waited for.

/// So many streams.
pub(crate) const STREAMS: usize = 4;

type Time = u64;

/// Who used a piece of memory last.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Marks {
    wrote: (usize, Time),
    read: [Time; STREAMS],
}

/// What some work needs: of each stream, the turn up to which it must have come.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Needs([Time; STREAMS]);

impl Needs {
    /// It uses this memory.
    pub fn add(&mut self, marks: &Marks, writes: bool) {
        let (stream, turn) = marks.wrote;
        self.0[stream] = self.0[stream].max(turn);
        if writes {
            for (need, &read) in self.0.iter_mut().zip(&marks.read) {
                *need = (*need).max(read);
            }
        }
    }
}

/// Where some work goes, and when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Turn {
    /// Its stream.
    pub stream: usize,
    /// Its time.
    time: Time,
    /// Streams whose work so far has to be done before.
    pub waits: [bool; STREAMS],
}

impl Marks {
    /// Some work uses the memory.
    pub fn used(&mut self, turn: &Turn, writes: bool) {
        if writes {
            *self = Marks { wrote: (turn.stream, turn.time), read: [0; STREAMS] };
        } else {
            self.read[turn.stream] = turn.time;
        }
    }
}

/// Turns of each stream up to which all is over.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Reached([Time; STREAMS]);

impl Reached {
    /// What is over when both are.
    pub fn and(self, other: Reached) -> Reached {
        Reached(std::array::from_fn(|stream| self.0[stream].max(other.0[stream])))
    }
}

/// How far streams are.
#[derive(Default, Debug)]
pub(crate) struct Order {
    clock: Time,
    /// The last turn that each stream has been given.
    last: [Time; STREAMS],
    /// The last that is known to be over.
    done: [Time; STREAMS],
    /// How much of each other stream comes before what a stream is given next.
    seen: [[Time; STREAMS]; STREAMS],
    /// The stream that was chosen last, and those that may be chosen.
    next: usize,
    first: usize,
    step: usize,
}

impl Order {
    /// Finds a turn for work.
    pub fn turn(&mut self, needs: &Needs) -> Turn {
        let unfinished = (0..STREAMS).filter(|&stream| needs.0[stream] > self.done[stream]);
        let stream = unfinished.max_by_key(|&stream| needs.0[stream]).unwrap_or_else(|| {
            let streams = (self.first..STREAMS).step_by(self.step.max(1));
            let next = streams.clone().find(|&stream| stream > self.next).unwrap_or(self.first);
            self.next = next;
            next
        });
        self.turn_on(stream, needs)
    }

    /// The turn of work on a stream that was chosen.
    pub fn turn_on(&mut self, stream: usize, needs: &Needs) -> Turn {
        let mut waits = [false; STREAMS];
        for (other, waits) in waits.iter_mut().enumerate() {
            if other != stream && needs.0[other] > self.seen[stream][other].max(self.done[other]) {
                *waits = true;
                // The event is recorded now: it covers all that the other stream was given, and what that waited for.
                self.seen[stream][other] = self.last[other];
                for far in 0..STREAMS {
                    self.seen[stream][far] = self.seen[stream][far].max(self.seen[other][far]);
                }
            }
        }
        self.clock += 1;
        self.last[stream] = self.clock;
        Turn { stream, time: self.clock, waits }
    }

    /// What is over when a stream has done all that it was given so far.
    pub fn so_far(&self, stream: usize) -> Reached {
        let mut times = self.seen[stream];
        times[stream] = self.last[stream];
        Reached(times)
    }

    /// The host has waited.
    pub fn waited(&mut self, reached: &Reached) {
        for (done, &reached) in self.done.iter_mut().zip(&reached.0) {
            *done = (*done).max(reached);
        }
    }

    /// Work that needs nothing unfinished goes to one of these streams from here on: every `step`th.
    pub fn prefer(&mut self, first: usize, step: usize) {
        (self.first, self.step) = (first, step);
    }

    /// Whether a stream may still have work to do.
    pub fn is_busy(&self, stream: usize) -> bool {
        self.last[stream] > self.done[stream]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Work that reads some memory and writes other.
    fn work(order: &mut Order, memory: &mut [Marks], reads: &[usize], writes: &[usize]) -> Turn {
        let mut needs = Needs::default();
        reads.iter().for_each(|&at| needs.add(&memory[at], false));
        writes.iter().for_each(|&at| needs.add(&memory[at], true));
        let turn = order.turn(&needs);
        reads.iter().for_each(|&at| memory[at].used(&turn, false));
        writes.iter().for_each(|&at| memory[at].used(&turn, true));
        turn
    }

    #[test]
    fn independent_work_goes_to_several_streams_and_chains_stay() {
        let (mut order, mut memory) = (Order::default(), [Marks::default(); 8]);
        let first = work(&mut order, &mut memory, &[0], &[1]);
        let second = work(&mut order, &mut memory, &[0], &[2]);
        assert_ne!(first.stream, second.stream);
        let chain = work(&mut order, &mut memory, &[1], &[3]);
        assert_eq!((chain.stream, chain.waits), (first.stream, [false; STREAMS]));
    }

    #[test]
    fn work_waits_for_what_it_reads_and_for_who_reads_what_it_writes() {
        let (mut order, mut memory) = (Order::default(), [Marks::default(); 8]);
        let first = work(&mut order, &mut memory, &[], &[1]);
        let second = work(&mut order, &mut memory, &[], &[2]);
        let both = work(&mut order, &mut memory, &[1, 2], &[3]);
        assert_eq!(both.stream, second.stream);
        assert!(both.waits[first.stream]);
        // Once is enough.
        let again = work(&mut order, &mut memory, &[1, 3], &[4]);
        assert_eq!((again.stream, again.waits), (second.stream, [false; STREAMS]));
        // Who writes what another still reads waits for that.
        let other = work(&mut order, &mut memory, &[], &[5]);
        let reads = work(&mut order, &mut memory, &[4, 5], &[6]);
        assert_eq!(reads.stream, other.stream);
        let writes = work(&mut order, &mut memory, &[], &[4]);
        assert!(writes.stream == other.stream || writes.waits[other.stream]);
    }

    #[test]
    fn who_has_streams_of_its_own_keeps_to_them() {
        let (mut order, mut memory) = (Order::default(), [Marks::default(); 8]);
        for (first, step, streams) in
            [(1, 2, [1, 3, 1]), (0, 2, [2, 0, 2]), (3, 4, [3, 3, 3]), (0, 1, [0, 1, 2])]
        {
            order.prefer(first, step);
            let chosen = [4, 5, 6].map(|at| work(&mut order, &mut memory, &[], &[at]).stream);
            let reached = (0..STREAMS).map(|stream| order.so_far(stream)).reduce(Reached::and).unwrap();
            order.waited(&reached);
            assert_eq!(chosen, streams, "{first} {step}");
        }
    }

    #[test]
    fn what_the_host_has_waited_for_does_not_cover_what_came_later() {
        let (mut order, mut memory) = (Order::default(), [Marks::default(); 8]);
        let first = work(&mut order, &mut memory, &[], &[1]);
        let reached = order.so_far(first.stream);
        let later = work(&mut order, &mut memory, &[1], &[2]);
        assert_eq!(later.stream, first.stream);
        order.waited(&reached);
        assert!(order.is_busy(first.stream));
    }

    #[test]
    fn what_is_over_is_waited_for_no_more() {
        let (mut order, mut memory) = (Order::default(), [Marks::default(); 8]);
        let first = work(&mut order, &mut memory, &[], &[1]);
        let second = work(&mut order, &mut memory, &[], &[2]);
        let both = work(&mut order, &mut memory, &[1, 2], &[3]);
        assert!(order.is_busy(first.stream) && order.is_busy(second.stream));
        let reached = order.so_far(both.stream);
        order.waited(&reached);
        assert!(!order.is_busy(first.stream) && !order.is_busy(second.stream));
        let later = work(&mut order, &mut memory, &[3], &[4]);
        assert_eq!(later.waits, [false; STREAMS]);
    }
}
