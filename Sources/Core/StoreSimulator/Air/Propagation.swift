/// How a signal weakens between a transmitter and the gateway.
///
/// The defaults are fitted to open recordings (*rooms* and *danis*; `StoreSimulatorTests` holds them to these figures):
///
/// - *danis*: a walking beacon, true distances, twelve receivers. About the fit of RSSI against log distance, with each
///   receiver's own offset taken out, readings scatter by 5.5 dB; two of them 0.45 s apart correlate by 0.34, 3 s by
///   0.19, 8 s by 0.07, 20 s by 0.02. So two thirds of the variance are fast fading (4.6 dB), and the rest is shadowing
///   and the body, which 5 m of walking forget.
/// - *rooms*: beacons at rest beside gateways. The one-second means wander by 0.2 to 1 dB, but within a second the
///   three advertising channels stand up to 6 dB apart: fading is frozen while nothing moves, and its own on every
///   channel. The receiver's noise is what is left, 0.6 to 0.9 dB including rounding to whole dBm.
package struct Propagation: Hashable, Sendable {
    /// Loss grows by 10 × this per decade of distance.
    var pathLossExponent = 2.0
    /// Standard deviation of the slow part, in dB: furniture, shelves, walls.
    var shadowing_db = 3.5
    /// Walking this far leaves 1/e of the correlation of shadowing.
    var shadowingDecorrelation_m = 5.0
    /// Power of the steady part of the signal over that of the scattered part (Rician K, linear; 0 is Rayleigh).
    var ricianK = 1.0
    /// Moving this far leaves 1/e of the correlation of fading: about half the wavelength of 12.5 cm.
    var fadingDecorrelation_m = 0.06
    /// Other people's movement does the same to shadowing and fading in this time, even where the transmitter rests.
    var environmentCoherence_s = 300.0
    /// A hand that stands still moves this fast.
    var sway_m_s = 0.02
    /// Loss with the carrier's body exactly in between; nothing while facing the gateway.
    var bodyLoss_db = 5.0
    /// Loss while the phone is in a pocket or a bag: phones there read 10 to 15 dB low.
    var pocketLoss_db = 12.0
    /// The receiver's own error, in dB (standard deviation), before it rounds to whole dBm.
    var receiverNoise_db = 0.7

    package init() {}
}
