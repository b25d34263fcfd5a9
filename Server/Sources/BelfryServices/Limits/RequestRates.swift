import BelfryModel

/// The rates of one server (SEC-2).
package struct RequestRates: Hashable, Sendable {
    /// Calls of one device: an app that was offline for weeks uploads at this pace.
    package static let standardPerDevice = 600
    package static let maximumPerDevice = 1_000_000
    package static let standard = RequestRates(perDevice: standardPerDevice, limitsLoopback: false)

    /// Calls of a burst at least, if the rate grants so many a minute: an app makes some ten when it starts.
    private static let smallestBurst = 20

    package let device: RateLimit
    /// Devices that one address makes: many phones of one carrier share an address.
    package let newDevices: RateLimit
    package let adminKey: RateLimit
    /// Calls from one address that show no more of their device than its id: two for each new device, twice over.
    package let strangers: RateLimit
    /// OpenID tokens from one address that prove nothing.
    package let uselessProofs: RateLimit
    /// Whether devices made from this machine itself count as well. Simulators and tests make thousands.
    package let limitsLoopback: Bool

    /// - Parameter perDevice: calls a minute; the other rates keep their proportion to it.
    package init(perDevice: Int, limitsLoopback: Bool) {
        device = Self.limit(perDevice)
        newDevices = RateLimit(perMinute: perDevice / 2, burst: perDevice / 2)
        adminKey = Self.limit(perDevice * 2)
        strangers = RateLimit(perMinute: perDevice * 2, burst: perDevice * 2)
        uselessProofs = newDevices
        self.limitsLoopback = limitsLoopback
    }

    /// A fifth of a minute's calls may come at once.
    private static func limit(_ perMinute: Int) -> RateLimit {
        RateLimit(perMinute: perMinute, burst: min(perMinute, max(smallestBurst, perMinute / 5)))
    }
}

/// What an operator says about rates: `off`, or how many calls a minute a device may make.
package enum RateLimitSetting: Hashable, Sendable {
    case off
    case perDevice(Int)

    /// Nil when the text is neither.
    package init?(_ text: String) {
        if text.lowercased() == "off" {
            self = .off
        } else if let number: Int = WholeNumber.read(text), (1...RequestRates.maximumPerDevice).contains(number) {
            self = .perDevice(number)
        } else {
            return nil
        }
    }

    /// Nil: there are none.
    package var rates: RequestRates? {
        switch self {
        case .off: nil
        case .perDevice(let number): RequestRates(perDevice: number, limitsLoopback: true)
        }
    }
}
