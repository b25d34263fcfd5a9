import BelfryModel

/// Names that the demonstration's devices and its story share.
package enum DemoApp {
    package static let code = "demo"
    /// The name of the second message center, beside the primary one.
    package static let center = "offers"
    /// The names of the message centers that the app shows.
    package static let centers = [MessageCenterName.primary.rawValue, center]
    static let pace = DevicePace.hurried
}
