/// The number of a campaign, unique on one server; written in decimal.
public struct CampaignID: Hashable, Sendable, Comparable {
    /// The highest number: a ``MessageID`` has 48 bits for it.
    public static let maximum: Int64 = (1 << 48) - 1

    public let number: Int64

    public init?(_ number: Int64) {
        guard (1...Self.maximum).contains(number) else { return nil }
        self.number = number
    }

    public init?(_ text: String) {
        guard let number: Int64 = WholeNumber.read(text) else { return nil }
        self.init(number)
    }

    public static func < (left: CampaignID, right: CampaignID) -> Bool {
        left.number < right.number
    }
}

extension CampaignID: CustomStringConvertible {
    public var description: String { String(number) }
}
