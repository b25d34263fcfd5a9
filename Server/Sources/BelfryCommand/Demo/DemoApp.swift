import BelfryModel

/// The app of the demonstration: what its devices and its story agree on.
package enum DemoApp {
    package static let code = "demo"
    /// The message center beside the primary one.
    package static let center = "offers"
    /// The centers that the app shows.
    package static let centers = [MessageCenterName.primary.rawValue, center]
    static let pace = DevicePace.hurried
}
