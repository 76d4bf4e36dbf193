//! The random numbers of Apery's keys: the 64-bit Mersenne Twister (Matsumoto and Nishimura, "Tables
//! of 64-bit Mersenne Twisters", ACM TOMACS 10, 2000) with the seed that C++ gives `mt19937_64`.

/// Length of the state.
const N: usize = 312;
/// Distance of the words that are combined.
const M: usize = 156;
/// The seed of a default-constructed C++ `std::mt19937_64`.
const SEED: u64 = 5489;

/// The first `COUNT` numbers.
pub(super) const fn numbers<const COUNT: usize>() -> [u64; COUNT] {
    let mut state = [0; N];
    state[0] = SEED;
    let mut i = 1;
    while i < N {
        let last = state[i - 1];
        state[i] = (last ^ last >> 62)
            .wrapping_mul(6364136223846793005)
            .wrapping_add(i as u64);
        i += 1;
    }
    let mut numbers = [0; COUNT];
    let mut drawn = 0;
    while drawn < COUNT {
        // Word by word is the same as all at once: each step needs only words of this round that
        // come before it and of the last round that come after it.
        let at = drawn % N;
        let low_bits = u64::MAX >> 33;
        let joined = (state[at] & !low_bits) | (state[(at + 1) % N] & low_bits);
        let twist = if joined & 1 == 1 {
            0xb5026f5aa96619e9
        } else {
            0
        };
        state[at] = state[(at + M) % N] ^ joined >> 1 ^ twist;
        numbers[drawn] = temper(state[at]);
        drawn += 1;
    }
    numbers
}

const fn temper(mut word: u64) -> u64 {
    word ^= word >> 29 & 0x5555555555555555;
    word ^= word << 17 & 0x71d67fffeda60000;
    word ^= word << 37 & 0xfff7eee000000000;
    word ^ word >> 43
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_ten_thousandth_number_is_the_standards() {
        // C++17, [rand.predef]: the 10000th invocation of a default-constructed mt19937_64.
        let numbers = super::numbers::<10_000>();
        assert_eq!(numbers[9_999], 9981545732273789042);
    }
}
