/// The facts that a device's call needs before it writes: the device's contact, and which tokens are valid. The whole
/// row has seven times as many columns, and most calls need none of them (PERF-3).
package struct DeviceLink: Hashable, Sendable {
    package let id: Int64
    package let app: Int64
    package let contact: Int64?
    package let linkGeneration: Int64
    package let confirmedGeneration: Int64
    /// The generation of the last link that counted (ID-10).
    package let orderEpoch: Int64
    /// The link generation that the caller of that link has shown.
    package let shownGeneration: Int64
    /// The epoch, which identifies the installation of the row (SEC-10).
    package let epoch: Int64
    /// The highest revision that was applied.
    package let revision: Int64
}

extension DeviceLink {
    /// Whether a token of this link generation is valid. Valid are the generation that the device has used, and later
    /// ones. But a token from before the last link that counted may belong to an impostor who knows only the id, unless
    /// the caller of that link has shown its generation (WIRE-20).
    package func accepts(tokensOf generation: Int64) -> Bool {
        guard generation != confirmedGeneration else { return true }
        return (confirmedGeneration...max(confirmedGeneration, linkGeneration)).contains(generation)
            && (generation >= orderEpoch || generation == shownGeneration)
    }

    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case app, contact, linkGeneration, confirmedGeneration, orderEpoch, shownGeneration, epoch
        case revision

        var sql: SQLText {
            switch self {
            case .app: "app_id"
            case .contact: "contact_id"
            case .linkGeneration: "link_generation"
            case .confirmedGeneration: "confirmed_generation"
            case .orderEpoch: "order_epoch"
            case .shownGeneration: "contact_generation"
            case .epoch: "epoch"
            case .revision: "revision"
            }
        }
    }

    init(id: Int64, _ row: any SQLRow) {
        let row = ResultRow<Column>(row)
        self.init(
            id: id, app: row.integer(.app), contact: row.optionalInteger(.contact),
            linkGeneration: row.integer(.linkGeneration), confirmedGeneration: row.integer(.confirmedGeneration),
            orderEpoch: row.integer(.orderEpoch), shownGeneration: row.integer(.shownGeneration),
            epoch: row.integer(.epoch), revision: row.integer(.revision)
        )
    }
}

/// A device's contact, and the holder of the messages that it shows.
package struct DeviceContact: Hashable, Sendable {
    package let contact: Int64?
    package let holder: MessageHolder

    /// The contact, if it is known.
    package var known: Int64? {
        guard case .contact(let number) = holder else { return nil }
        return number
    }

    /// Whether the contact is still this one, or still none.
    package func isStill(_ contact: Int64?) -> Bool { self.contact == contact }
}
