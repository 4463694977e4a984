//! Memory traffic and launches of a plan: the parts of its cost that reports show.

use super::plan::FusionPlan;
use super::problem::{ClusterId, Problem};
use std::collections::BTreeSet;

/// The memory traffic and launches of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Traffic {
    /// Number of kernels launched.
    pub launches: usize,
    /// Bytes written to memory.
    pub written: f64,
    /// Bytes read from memory.
    pub read: f64,
    /// Number of arrays that are written only because another kernel of the region reads them.
    pub temporaries: usize,
}

impl Traffic {
    /// Computes the traffic of a valid plan.
    pub fn of(problem: &Problem, plan: &FusionPlan) -> Traffic {
        Traffic::by_cluster(problem, plan).iter().fold(Traffic::default(), |sum, own| Traffic {
            launches: sum.launches + own.launches,
            written: sum.written + own.written,
            read: sum.read + own.read,
            temporaries: sum.temporaries + own.temporaries,
        })
    }

    /// Computes the traffic of each cluster of a valid plan.
    pub fn by_cluster(problem: &Problem, plan: &FusionPlan) -> Vec<Traffic> {
        let mut clusters = vec![Traffic { launches: 1, ..Traffic::default() }; plan.clusters.len()];
        for array in &problem.arrays {
            let home = array.producer.map(|run| plan.cluster_of[run.index()]);
            let readers: BTreeSet<ClusterId> = array
                .readers
                .iter()
                .map(|run| plan.cluster_of[run.index()])
                .filter(|&reader| Some(reader) != home)
                .collect();
            readers.iter().for_each(|reader| clusters[reader.index()].read += array.bytes);
            if let Some(home) = home.filter(|_| array.wanted || !readers.is_empty()) {
                let own = &mut clusters[home.index()];
                own.written += array.bytes;
                own.temporaries += usize::from(!array.wanted);
            }
        }
        clusters
    }

    /// Bytes in both directions.
    pub fn bytes(&self) -> f64 {
        self.written + self.read
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuse::problem::{Array, Run, RunId};

    #[test]
    fn what_stays_inside_is_not_moved() {
        let array = |bytes, producer: Option<usize>, readers: &[usize], wanted| Array {
            bytes,
            producer: producer.map(RunId::from),
            readers: readers.iter().copied().map(RunId::from).collect(),
            wanted,
        };
        let problem = Problem {
            runs: vec![Run { launch: 1.0, work: 0.0 }; 3],
            arrays: vec![
                array(8.0, None, &[0, 2], false),
                array(16.0, Some(0), &[1, 2], false),
                array(32.0, Some(1), &[2], true),
            ],
            ..Problem::default()
        };
        let apart = Traffic::of(&problem, &FusionPlan::unfused(&problem));
        assert_eq!(apart, Traffic { launches: 3, written: 48.0, read: 80.0, temporaries: 1 });
        let joined = FusionPlan::from_labels(&problem, &[0, 0, 0]).expect("a partition");
        let joined = Traffic::of(&problem, &joined);
        assert_eq!(joined, Traffic { launches: 1, written: 32.0, read: 8.0, temporaries: 0 });
    }
}
