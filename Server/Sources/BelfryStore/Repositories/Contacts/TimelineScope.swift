import BelfryModel

/// Whose timeline is read.
package struct TimelineScope: Hashable, Sendable {
    package let app: Int64
    /// The contact. What was of those that went into it is the person's, too.
    package let contact: Int64
    /// Devices that the person has.
    package let present: [Int64]
    /// Devices that the person has had.
    package let former: [Int64]
    /// Those of the person's devices that nobody else is known to have had.
    package let sole: [Int64]
    /// By the numbers of ``MessageHolder``.
    package let holders: [Int64]

    package init(
        app: Int64, contact: Int64, present: [Int64], former: [Int64], sole: [Int64], holders: [Int64]
    ) {
        self.app = app
        self.contact = contact
        self.present = present
        self.former = former
        self.sole = sole
        self.holders = holders
    }

    var devices: [Int64] { present + former }
}

/// A place in one source of a timeline, which goes from the newest to the oldest. Entries of one moment come in the order
/// of some numbers, and those alike in the order of a text.
package struct TimelinePosition: Hashable, Sendable {
    /// Milliseconds.
    package let at: Int64
    package let numbers: [Int64]
    package let text: String

    package init(at: Int64, numbers: [Int64] = [], text: String = "") {
        self.at = at
        self.numbers = numbers
        self.text = text
    }

    /// The arguments of a comparison with so many numbers: the moment twice, and the numbers; what is not said comes
    /// before all others.
    func arguments(_ count: Int) -> [SQLValue] {
        let numbers = self.numbers.prefix(count) + repeatElement(.min, count: max(0, count - self.numbers.count))
        return [.integer(at), .integer(at)] + numbers.map { SQLValue.integer($0) }
    }
}

/// A moment of a campaign's message to a person.
package struct TimelineMoment<What: Hashable & Sendable>: Hashable, Sendable {
    package let position: TimelinePosition
    package let campaign: CampaignID
    /// Nil where it belongs to no device.
    package let device: Int64?
    package let what: What
}
