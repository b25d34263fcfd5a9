import BelfryModel

/// A message center from a device's point of view: what a fetch needs to know before the messages.
package struct MessageCenterView: Hashable, Sendable {
    package let link: DeviceLink
    /// Whether a user is logged in on the device (MC-15).
    package fileprivate(set) var isKnown: Bool
    /// Nil if the app has no row for the message center.
    private let isEnabled: Bool?
    private let label: String?

    /// The message center with this name; nil if the app has none. The primary one exists without a row.
    package func center(named name: MessageCenterName) -> MessageCenter? {
        guard let isEnabled else { return name.isPrimary ? MessageCenter(name: name) : nil }
        return MessageCenter(name: name, label: label, isEnabled: isEnabled)
    }
}

extension MessageCenterView {
    private static let linkColumns = DeviceLink.Column.columnCount

    private enum Column: Int, ResultColumn {
        case device, isKnown, label, isEnabled

        var sql: SQLText {
            switch self {
            case .device: "d.id"
            case .isKnown: "coalesce(c.known, 0)"
            case .label: "m.label"
            case .isEnabled: "m.enabled"
            }
        }

        static var ownList: SQLText {
            allCases.map { column -> SQLText in column == .isKnown ? "0" : column.sql }.joined(by: ", ")
        }
    }

    /// The key is the center's name and a device.
    package static let query = KeyedQuery { asked in
        """
        SELECT \(DeviceLink.Column.selectList(of: "d")), \(Column.selectList)
        FROM devices d LEFT JOIN contacts c ON c.id = d.contact_id
        LEFT JOIN message_centers m ON m.app_id = d.app_id AND m.name = \(asked(.text)) WHERE d.id = \(asked(.integer))
        """
    }

    /// The same without the contact.
    fileprivate static let ownQuery = KeyedQuery { asked in
        """
        SELECT \(DeviceLink.Column.selectList(of: "d")), \(Column.ownList)
        FROM devices d
        LEFT JOIN message_centers m ON m.app_id = d.app_id AND m.name = \(asked(.text)) WHERE d.id = \(asked(.integer))
        """
    }

    init(_ row: any SQLRow) {
        let own = ResultRow<Column>(row, after: Self.linkColumns)
        link = DeviceLink(id: own.integer(.device), row)
        isKnown = own.flag(.isKnown)
        isEnabled = own.optionalFlag(.isEnabled)
        label = own.optionalText(.label)
    }
}

extension MessageCenterRepository {
    /// Nil for a device that no longer exists.
    package func views(_ asked: [(device: Int64, center: MessageCenterName)]) throws -> [MessageCenterView?] {
        let keys: [[SQLValue]] = asked.map { [.text($0.center.rawValue), .integer($0.device)] }
        guard !connection.dialect.isDistributed else { return try viewsInTurn(keys) }
        return try connection.queryEach(MessageCenterView.query, keys) { MessageCenterView($0) }.map(\.first)
    }

    /// The devices first, and then their contacts, which are on other servers (FLEET-5).
    private func viewsInTurn(_ keys: [[SQLValue]]) throws -> [MessageCenterView?] {
        let views = try connection.queryEach(MessageCenterView.ownQuery, keys) { MessageCenterView($0) }.map(\.first)
        let contacts = try connection.contacts.facts(of: Set(views.compactMap { $0?.link.contact }))
        return views.map { view in
            guard var whole = view, let contact = whole.link.contact else { return view }
            whole.isKnown = contacts[contact]?.isKnown ?? false
            return whole
        }
    }
}
