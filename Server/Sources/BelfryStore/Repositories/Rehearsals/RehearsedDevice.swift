/// What a rehearsal has found for one device.
package struct RehearsedDevice: Hashable, Sendable {
    package let device: Int64
    /// The place of the outcome among those of the rehearsal.
    package let outcome: Int
    /// Seconds after the rehearsed launch at which it would leave, or end.
    package let after: Int
    /// Nil in what an older program has rehearsed.
    package let traits: RehearsedTraits?

    package init(device: Int64, outcome: Int, after: Int, traits: RehearsedTraits? = nil) {
        self.device = device
        self.outcome = outcome
        self.after = after
        self.traits = traits
    }
}

/// By what else a device is counted: the places of its zone, platform and locale among those of the rehearsal.
package struct RehearsedTraits: Hashable, Sendable {
    package let zone: Int
    package let platform: Int
    package let locale: Int
    package let marks: RehearsedMarks

    package init(zone: Int, platform: Int, locale: Int, marks: RehearsedMarks = []) {
        self.zone = zone
        self.platform = platform
        self.locale = locale
        self.marks = marks
    }
}

/// What else would happen to a device.
package struct RehearsedMarks: OptionSet, Hashable, Sendable {
    package let rawValue: Int

    /// A message would be placed in a message center.
    package static let placed = RehearsedMarks(rawValue: 1)
    /// It would push an older one out of sight there (MC-5).
    package static let crowded = RehearsedMarks(rawValue: 2)

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }
}
