import BelfryModel

/// The rates and budgets of one server (SEC-2, SEC-9).
package struct RequestRates: Hashable, Sendable {
    /// Calls a minute of one device: an app that was offline for weeks uploads at this pace.
    package static let standardPerDevice = 600
    package static let maximumPerDevice = 1_000_000
    package static let standard = RequestRates(perDevice: standardPerDevice, limitsLoopback: false)

    /// The highest number of device buckets. A bucket takes about 200 bytes with its key.
    static let maximumDevices = 100_000
    static let maximumAddresses = 50_000
    static let maximumKeys = 1_000
    static let maximumApps = 1_000

    /// The smallest burst in calls, unless the rate is lower: an app makes about ten calls when it starts.
    private static let smallestBurst = 20
    /// Events that an app has after weeks offline.
    private static let standardBacklog = 10_000
    static let mebibyte = 1_048_576

    package let device: RateLimit
    /// Calls with events of a device whose client is of v3. With another host than the vendor's, iOS sends each event
    /// by itself and stops at the first rejection. So it may send the events of weeks offline at once; its events count
    /// as for any device (WIRE-6).
    package let backlog: RateLimit
    /// Devices that one address creates, and installations that take over a row. Many phones of one carrier share an
    /// address.
    package let newDevices: Quota
    /// Contacts that are created from one address: each new device gets one, and a login may create another.
    package let newContacts: Quota
    /// Contacts that are created by one device: a phone that several people share creates two for each of them.
    package let newContactsOfDevice: Quota
    /// Installations that take over one device's row. Used where addresses are not counted.
    package let newInstallations: RateLimit
    package let adminKey: RateLimit
    /// Calls from one address that prove nothing about their device: two for each new device, times two.
    package let unauthenticated: RateLimit
    /// OpenID tokens from one address that prove no contact.
    package let uselessProofs: RateLimit
    /// Bytes that are stored of the responses to an admin key's writes (ADM-3). They do not depend on the rate: a day
    /// allows 131,072 short responses.
    let keptAnswers = Quota(perMinute: 16 * mebibyte, perDay: 128 * mebibyte)
    /// Forms of a person who calls too often that are read all the same, so that what they typed is kept (CON-11).
    let rejectedForms = RateLimit(perMinute: 10)
    /// Bytes of one device's bodies, after decompression.
    package let bytes: Quota
    /// Bytes of bodies from one address that prove nothing about their device: 10 KiB for each device that it may
    /// create in a day.
    package let unauthenticatedBytes: Quota
    /// Events of one device: an app that was offline for weeks has 10,000 of them.
    package let events: Quota
    /// The budget of all devices of an app together. Nil: not counted.
    package let app: AppBudget?
    /// Whether devices on this machine itself count as well. Simulators and tests create thousands.
    package let limitsLoopback: Bool

    /// - Parameters:
    ///   - perDevice: calls a minute of a device. The other rates are proportional to it, except those of an app.
    ///   - app: the budget of an app's devices together.
    package init(perDevice: Int, limitsLoopback: Bool, app: AppBudget? = .standard) {
        func share(_ amount: Int) -> Int { max(1, amount * perDevice / Self.standardPerDevice) }
        device = Self.limit(perDevice)
        backlog = RateLimit(perMinute: perDevice, burst: share(Self.standardBacklog))
        newDevices = Quota(perMinute: perDevice / 2, perDay: share(100_000))
        newContacts = Quota(perMinute: perDevice, perDay: share(200_000))
        newContactsOfDevice = Quota(perMinute: share(60), perDay: share(1_000))
        newInstallations = RateLimit(perMinute: share(10))
        bytes = Quota(perMinute: share(8 * Self.mebibyte), perDay: share(64 * Self.mebibyte))
        unauthenticatedBytes = Quota(perMinute: share(8 * Self.mebibyte), perDay: share(1_024 * Self.mebibyte))
        events = Quota(perMinute: share(20_000), perDay: share(200_000))
        self.app = app
        adminKey = Self.limit(perDevice * 2)
        unauthenticated = RateLimit(perMinute: perDevice * 2)
        uselessProofs = RateLimit(perMinute: perDevice / 2)
        self.limitsLoopback = limitsLoopback
    }

    /// A limit of which a fifth of a minute's calls may be used at once.
    private static func limit(_ perMinute: Int) -> RateLimit {
        RateLimit(perMinute: perMinute, burst: min(perMinute, max(smallestBurst, perMinute / 5)))
    }
}

/// The budget of all devices of one app together (SEC-9): far more than one device's, and no more than the store can
/// take.
package struct AppBudget: Hashable, Sendable {
    /// MiB a minute.
    package static let standardMebibytes = 4_096
    package static let maximumMebibytes = 262_144
    package static let standard = AppBudget(mebibytesPerMinute: standardMebibytes)
    private static let eventsPerMebibyte = 5_000
    /// A day's budget in minutes of the full rate: about four hours.
    private static let minutesPerDay = 256

    /// One address may use up an eighth of the budget.
    private static let addressPart = 8

    let bytes: Quota
    let events: Quota
    let bytesOfAddress: Quota
    let eventsOfAddress: Quota

    package init(mebibytesPerMinute: Int) {
        func quota(_ perMinute: Int) -> Quota {
            Quota(perMinute: perMinute, perDay: perMinute * Self.minutesPerDay)
        }
        let size = min(max(1, mebibytesPerMinute), Self.maximumMebibytes)
        bytes = quota(size * RequestRates.mebibyte)
        events = quota(size * Self.eventsPerMebibyte)
        bytesOfAddress = quota(size * RequestRates.mebibyte / Self.addressPart)
        eventsOfAddress = quota(size * Self.eventsPerMebibyte / Self.addressPart)
    }
}

/// An operator's setting for the budget of an app: `off`, or MiB a minute.
package enum AppBudgetSetting: Hashable, Sendable {
    case off
    case mebibytes(Int)

    /// Nil when the text is neither.
    package init?(_ text: String) {
        if text.lowercased() == "off" {
            self = .off
        } else if let number = WholeNumber.read(text, as: Int.self), (1...AppBudget.maximumMebibytes).contains(number) {
            self = .mebibytes(number)
        } else {
            return nil
        }
    }

    package var budget: AppBudget? {
        switch self {
        case .off: nil
        case .mebibytes(let number): AppBudget(mebibytesPerMinute: number)
        }
    }
}

/// An operator's setting for rates: `off`, or how many calls a minute a device may make.
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

    /// The rates. Nil: there are no limits.
    package func rates(app: AppBudget?) -> RequestRates? {
        switch self {
        case .off: nil
        case .perDevice(let number): RequestRates(perDevice: number, limitsLoopback: true, app: app)
        }
    }
}
