import Foundation

/// A message of one of several who ask at once, without what its campaign says to all: that is looked up once for all of
/// them, who have the same messages for the most part, and neither sent nor kept anew for each (PERF-15).
struct MessageCenterOutline {
    /// What a campaign says to all who get the same of it.
    struct ContentKey: Hashable {
        let campaign: Int64
        /// Its bytes: two that Swift takes for one are two variants.
        let variant: [UInt8]

        var arguments: [SQLValue] { [.integer(campaign), .text(String(decoding: variant, as: UTF8.self))] }
    }

    private enum Words {
        case own([UInt8])
        case ofCampaign(ContentKey)
        /// Its own, and too long to be read with those of others.
        case long
    }

    /// Without its words.
    private let bare: MessageCenterMessageRow
    private let words: Words

    /// Of ``columns(textsUpTo:_:)``.
    init(_ row: any SQLRow) throws {
        bare = try MessageCenterMessageRow(row, body: [])
        let own = MessageCenterMessageRow.Column.body.rawValue
        let variant = MessageCenterMessageRow.Column.columnCount
        if !row.isNull(variant) {
            words = .ofCampaign(ContentKey(campaign: bare.campaign.number, variant: row.utf8(variant)))
        } else {
            words = row.isNull(own) ? .long : .own(row.utf8(own))
        }
    }

    /// Nil where the message has words of its own.
    var content: ContentKey? {
        if case .ofCampaign(let key) = words { key } else { nil }
    }

    /// Nil where it is to be read alone.
    ///
    /// - Parameter contents: what campaigns say, without what is long.
    func message(_ contents: [ContentKey: [UInt8]]) -> MessageCenterMessageRow? {
        switch words {
        case .own(let body): bare.saying(body)
        case .ofCampaign(let key): contents[key].map { bare.saying($0) }
        case .long: nil
        }
    }
}

extension MessageCenterOutline {
    /// Of `center_messages m`: those of a message, with a text of its own that has no more bytes, and behind them the variant
    /// of a message that has none.
    static func columns(textsUpTo maximum: Int, _ dialect: any Dialect) -> SQLText {
        let own: SQLText = "CASE WHEN \(dialect.bytes(of: "m.body")) <= \(maximum) THEN m.body END"
        let variant: SQLText = "CASE WHEN m.body IS NULL THEN m.variant END"
        let columns: [SQLText] = MessageCenterMessageRow.Column.allCases.map { $0 == .body ? own : $0.sql }
        return (columns + [variant]).joined(by: ", ")
    }
}
