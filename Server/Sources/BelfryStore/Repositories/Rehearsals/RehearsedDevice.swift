/// The result of a rehearsal for one device.
package struct RehearsedDevice: Hashable, Sendable {
    package let device: Int64
    /// The index of the outcome among those of the rehearsal.
    package let outcome: Int
    /// Seconds after the rehearsed launch at which the push would be sent, or the delivery end.
    package let after: Int
    /// Nil in results of an older program.
    package let traits: RehearsedTraits?

    package init(device: Int64, outcome: Int, after: Int, traits: RehearsedTraits? = nil) {
        self.device = device
        self.outcome = outcome
        self.after = after
        self.traits = traits
    }
}

/// Further properties by which devices are counted: the indexes of zone, platform and locale among those of the
/// rehearsal.
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

/// Further effects on a device.
package struct RehearsedMarks: OptionSet, Hashable, Sendable {
    package let rawValue: Int

    /// A message would be placed in a message center.
    package static let placed = RehearsedMarks(rawValue: 1)
    /// The message would push an older one out of sight there (MC-5).
    package static let crowded = RehearsedMarks(rawValue: 2)

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }
}
