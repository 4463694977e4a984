//! Prices of European options by the formula of Black and Scholes.

use nestled::Array;

const RATE: f32 = 0.02;
const VOLATILITY: f32 = 0.3;

/// The cumulative normal distribution, by a polynomial (Abramowitz and Stegun 26.2.17).
fn cumulative(x: &Array<f32>) -> Array<f32> {
    let k = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let factors = [1.330_274_4, -1.821_255_9, 1.781_477_9, -0.356_563_78, 0.319_381_54];
    let sum = factors.into_iter().fold(Array::scalar(0.0), |sum, factor| (sum + factor) * &k);
    let tail = 0.398_942_3 * (-0.5 * x.square()).exp() * sum;
    x.lt(0.0).select(&tail, 1.0 - &tail)
}

/// Prices of calls and of puts.
pub fn black_scholes(price: Array<f32>, strike: Array<f32>, years: Array<f32>) -> (Array<f32>, Array<f32>) {
    let spread = VOLATILITY * years.sqrt();
    let d1 = ((&price / &strike).ln() + (RATE + 0.5 * VOLATILITY * VOLATILITY) * &years) / &spread;
    let d2 = &d1 - spread;
    let discounted = strike * (-RATE * years).exp();
    let call = &price * cumulative(&d1) - &discounted * cumulative(&d2);
    let put = &call - price + discounted;
    (call, put)
}
