//! Formulas of particle physics on nested data: they take records of any depth and give numbers of that depth.

use nestled::Result;
use nestled::nested::{Nested, zip};
use std::f64::consts::PI;

/// The difference of two angles, from −π up to π.
///
/// # Errors
/// The arrays do not go together.
pub fn angle_between(one: &Nested, other: &Nested) -> Result<Nested> {
    let turn = one - other;
    let turns = ((&turn + PI) / (2.0 * PI)).floor()?;
    Ok(turn - turns * (2.0 * PI))
}

/// The square of the distance of two particles in η and φ.
///
/// # Errors
/// The arrays do not go together, or are no records of particles.
pub fn squared_distance(one: &Nested, other: &Nested) -> Result<Nested> {
    let eta = one.field("eta")? - other.field("eta")?;
    let phi = angle_between(&one.field("phi")?, &other.field("phi")?)?;
    Ok(&eta * &eta + &phi * &phi)
}

/// The invariant mass of two particles that are light beside their momentum.
///
/// # Errors
/// The arrays do not go together, or are no records of particles.
pub fn mass_of_pair(one: &Nested, other: &Nested) -> Result<Nested> {
    let eta = one.field("eta")? - other.field("eta")?;
    let phi = one.field("phi")? - other.field("phi")?;
    (one.field("pt")? * other.field("pt")? * 2.0 * (eta.cosh()? - phi.cos()?)).sqrt()
}

/// The momentum and the energy of particles: records of `x`, `y`, `z` and `e`.
///
/// # Errors
/// The array has no records of particles.
pub fn momentum(particles: &Nested) -> Result<Nested> {
    let [pt, eta, phi, mass] = ["pt", "eta", "phi", "mass"].map(|name| particles.field(name));
    let (pt, eta, phi, mass) = (pt?, eta?, phi?, mass?);
    let (x, y, z) = (&pt * phi.cos()?, &pt * phi.sin()?, &pt * eta.sinh()?);
    let e = (&x * &x + &y * &y + &z * &z + &mass * &mass).sqrt()?;
    zip(&[("x", &x), ("y", &y), ("z", &z), ("e", &e)])
}

/// The transverse mass of what is missing and a particle.
///
/// # Errors
/// The arrays do not go together, or are no records of particles.
pub fn transverse_mass(met: &Nested, particle: &Nested) -> Result<Nested> {
    let phi = met.field("phi")? - particle.field("phi")?;
    (met.field("pt")? * particle.field("pt")? * 2.0 * (1.0 - phi.cos()?)).sqrt()
}
