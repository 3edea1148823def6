//! What the rigs with many seeds have in common (docs/reliability.md): chance that a seed decides, and how many there are.

use std::future::Future;

/// Chance that comes again with its seed (`SplitMix64`).
pub struct Chance(u64);

impl Chance {
    pub fn of(seed: usize) -> Self {
        Self(seed as u64)
    }

    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below this one.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.draw() % limit.max(1) as u64).expect("below a usize")
    }

    /// One of these.
    pub fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// How many seeds a rig goes through: so many in the gate, and `soak` for each round of `LIBRARY_TEST_SOAK`, which begin
/// at `LIBRARY_TEST_SEED`.
pub fn seeds(gate: usize, soak: usize) -> std::ops::Range<usize> {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<usize>().ok());
    let first = number("LIBRARY_TEST_SEED").unwrap_or(0);
    first..first + number("LIBRARY_TEST_SOAK").map_or(gate, |rounds| rounds * soak)
}

/// Goes through the seeds on two threads, and says which seed failed.
pub fn each<F: Future<Output = ()>>(seeds: std::ops::Range<usize>, run: impl Fn(usize) -> F + Sync) {
    let next = std::sync::atomic::AtomicUsize::new(seeds.start);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let runtime =
                    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
                loop {
                    let seed = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    if seed >= seeds.end {
                        break;
                    }
                    let failed = std::panic::AssertUnwindSafe(|| runtime.block_on(run(seed)));
                    if let Err(panic) = std::panic::catch_unwind(failed) {
                        eprintln!("this is seed {seed}: LIBRARY_TEST_SEED={seed}");
                        std::panic::resume_unwind(panic);
                    }
                }
            });
        }
    });
}
