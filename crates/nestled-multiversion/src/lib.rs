//! Function multiversioning: a function is compiled for several instruction sets, and the processor's best version runs.
//!
//! The base of x86-64 has vectors of 16 bytes, no fused multiply-add, and cannot multiply integers of 32 bits in vectors. A function becomes a [`Job`]; what it calls
//! has to be inlined into it, since only what is inlined is compiled for the other instruction sets.
#![allow(unsafe_code)] // Calls of functions that need instructions of a certain processor, after asking for it.

/// A function to compile in several versions.
pub trait Job {
    /// The result.
    type Output;

    /// Runs it. To be marked `#[inline(always)]`, as everything that it spends time in.
    fn run(self) -> Self::Output;
}

/// Runs a job with AVX2 and fused multiply-add, if the processor has them.
#[inline]
pub fn with_avx2<J: Job>(job: J) -> J::Output {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,fma")]
        fn avx2<J: Job>(job: J) -> J::Output {
            job.run()
        }
        if has_avx2() {
            // SAFETY: the processor has AVX2 and fused multiply-add: it was asked just now.
            return unsafe { avx2(job) };
        }
    }
    job.run()
}

/// Runs a job with AVX-512, if the processor has it, or else AVX2.
#[inline]
pub fn with_avx512<J: Job>(job: J) -> J::Output {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma")]
        fn avx512<J: Job>(job: J) -> J::Output {
            job.run()
        }
        if has_avx512() {
            // SAFETY: the processor has AVX-512 with all that `avx512` is compiled for: it was asked just now.
            return unsafe { avx512(job) };
        }
    }
    with_avx2(job)
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && has_avx2()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Products<'a>(&'a mut [i32], &'a [i32]);

    impl Job for Products<'_> {
        type Output = usize;

        #[inline(always)]
        fn run(self) -> usize {
            self.0.iter_mut().zip(self.1).for_each(|(to, from)| *to = to.wrapping_mul(*from));
            self.0.len()
        }
    }

    #[test]
    fn every_version_does_the_same() {
        let factors: Vec<i32> = (0..1001i32).map(|at| at.wrapping_mul(7_654_321)).collect();
        let wanted: Vec<i32> = factors.iter().map(|factor| factor.wrapping_mul(*factor)).collect();
        for version in 0..3 {
            let mut made = factors.clone();
            let job = Products(&mut made, &factors);
            let length = match version {
                0 => job.run(),
                1 => with_avx2(job),
                _ => with_avx512(job),
            };
            assert_eq!((length, made), (1001, wanted.clone()));
        }
    }
}
