import BelfryModel

/// The person whose timeline is read.
package struct TimelineScope: Hashable, Sendable {
    package let app: Int64
    /// The contact. Data of contacts merged into it belongs to the person, too.
    package let contact: Int64
    /// Devices that the person has now.
    package let present: [Int64]
    /// Devices that the person had.
    package let former: [Int64]
    /// The person's devices that are not known to have belonged to another person.
    package let sole: [Int64]
    /// The holders of messages, as the numbers of ``MessageHolder``.
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

/// A position in one source of a timeline, which is read from the newest entry to the oldest. Entries of the same
/// moment are ordered by numbers, and then by a text.
package struct TimelinePosition: Hashable, Sendable {
    /// Milliseconds since 1970.
    package let at: Int64
    package let numbers: [Int64]
    package let text: String

    package init(at: Int64, numbers: [Int64] = [], text: String = "") {
        self.at = at
        self.numbers = numbers
        self.text = text
    }

    /// The arguments of a comparison with so many numbers: the moment twice, then the numbers. Missing numbers are the
    /// smallest integer.
    func arguments(_ count: Int) -> [SQLValue] {
        let numbers = self.numbers.prefix(count) + repeatElement(.min, count: max(0, count - self.numbers.count))
        return [.integer(at), .integer(at)] + numbers.map { SQLValue.integer($0) }
    }
}

/// A timeline entry of a campaign's message to a person.
package struct TimelineMoment<What: Hashable & Sendable>: Hashable, Sendable {
    package let position: TimelinePosition
    package let campaign: CampaignID
    /// The device; nil if the entry belongs to none.
    package let device: Int64?
    package let what: What
}
