import BelfryModel
import BelfryStore

/// What a receipt names of the fields that were rejected (REG-25): a body of short names would else be stored as many
/// times its size in sentences (SEC-9).
enum ReceiptEntries {
    static let maximumCount = 50
    /// Of all entries as they are stored, but for the last one, which counts those that are not named.
    static let maximumBytes = 16_384
    /// Of the name of a field, which the body made.
    static let maximumFieldBytes = 1_100

    /// What the receipt of a device's registration lists; only the number of fields when its budget is used up.
    static func granted(
        _ rejected: [RejectedField], to device: DeviceRow, by budget: ReceiptBudget
    ) throws -> [RejectedField] {
        guard !rejected.isEmpty else { return [] }
        let entries = try bounded(rejected)
        return budget.grants(bytes: try bytes(of: entries), to: device) ? entries : [.unnamed(rejected.count)]
    }

    /// The first of them, and how many more there are.
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

    /// What is kept of the attributes that were accepted, to tell them from the rejected ones later: nothing where the
    /// receipt lists all of these.
    static func accepted(_ names: [String], beside entries: [RejectedField]) -> [String]? {
        entries.contains(where: \.isCount) ? names.sorted() : nil
    }

    static func bytes(of entries: [RejectedField]) throws -> Int {
        try JSONText.encode(entries).utf8.count
    }
}

extension RejectedField {
    /// It counts fields that a receipt does not list.
    var isCount: Bool { reason.utf8.elementsEqual("moreRejected".utf8) }

    static func more(_ count: Int) -> RejectedField {
        RejectedField(
            field: "registration", reason: "moreRejected",
            message: "\(count) more \(count == 1 ? "field was" : "fields were") rejected; a receipt lists the first."
        )
    }

    /// In place of all, where there is no room for their names.
    static func unnamed(_ count: Int) -> RejectedField {
        RejectedField(
            field: "registration", reason: "moreRejected",
            message: "\(count) \(count == 1 ? "field was" : "fields were") rejected. They are not listed, because the "
                + "device, or its app, has used up its storage budget for now."
        )
    }

    fileprivate var withBoundedField: RejectedField {
        guard field.utf8.count > ReceiptEntries.maximumFieldBytes else { return self }
        // The decoder mends a character that was cut through.
        let cut = String(decoding: field.utf8.prefix(ReceiptEntries.maximumFieldBytes), as: UTF8.self)
        return RejectedField(field: cut + "…", reason: reason, message: message)
    }
}
