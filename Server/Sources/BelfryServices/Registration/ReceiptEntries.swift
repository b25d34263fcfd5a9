import BelfryModel
import BelfryStore

/// The rejected fields that a receipt names (REG-25). Without a limit, a body of short names would be stored as
/// sentences of many times its size (SEC-9).
enum ReceiptEntries {
    static let maximumCount = 50
    /// The most bytes of all stored entries. The last entry, which counts the unnamed fields, comes on top.
    static let maximumBytes = 16_384
    /// The most bytes of a field's name, which comes from the body.
    static let maximumFieldBytes = 1_100

    /// The entries of a receipt. If the device's budget is used up, only the number of rejected fields.
    static func granted(
        _ rejected: [RejectedField], to device: DeviceRow, by budget: ReceiptBudget
    ) throws -> [RejectedField] {
        guard !rejected.isEmpty else { return [] }
        let entries = try bounded(rejected)
        return budget.grants(bytes: try bytes(of: entries), to: device) ? entries : [.unnamed(rejected.count)]
    }

    /// The first of the rejected fields that fit, and the number of the others.
    static func bounded(_ rejected: [RejectedField]) throws -> [RejectedField] {
        var bytes = 0
        var named: [RejectedField] = []
        for entry in rejected.prefix(maximumCount) {
            let entry = entry.withBoundedField
            bytes += try self.bytes(of: [entry])
            guard bytes <= maximumBytes else { break }
            named.append(entry)
        }
        let others = rejected.count - named.count
        return others == 0 ? named : named + [.more(others)]
    }

    /// The names of the accepted attributes that must be stored to tell them from the rejected ones later. Nil if the
    /// receipt lists all rejected ones.
    static func accepted(_ names: [String], beside entries: [RejectedField]) -> [String]? {
        entries.contains(where: \.isCount) ? names.sorted() : nil
    }

    static func bytes(of entries: [RejectedField]) throws -> Int {
        try JSONText.encode(entries).utf8.count
    }
}

extension RejectedField {
    /// Whether the entry only counts fields that the receipt does not list.
    var isCount: Bool { reason.utf8.elementsEqual("moreRejected".utf8) }

    static func more(_ count: Int) -> RejectedField {
        RejectedField(
            field: "registration", reason: "moreRejected",
            message: "\(count) more \(count == 1 ? "field was" : "fields were") rejected; a receipt lists the first."
        )
    }

    /// One entry for all rejected fields, where there is no room for their names.
    static func unnamed(_ count: Int) -> RejectedField {
        RejectedField(
            field: "registration", reason: "moreRejected",
            message: "\(count) \(count == 1 ? "field was" : "fields were") rejected. They are not listed, because the "
                + "device, or its app, has used up its storage budget for now."
        )
    }

    fileprivate var withBoundedField: RejectedField {
        guard field.utf8.count > ReceiptEntries.maximumFieldBytes else { return self }
        // The decoder replaces a character that was cut.
        let cut = String(decoding: field.utf8.prefix(ReceiptEntries.maximumFieldBytes), as: UTF8.self)
        return RejectedField(field: cut + "…", reason: reason, message: message)
    }
}
