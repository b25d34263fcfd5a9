/// The table in which a device's row is. Both tables have the same columns (FLEET-2).
package enum DeviceTable: Hashable, Sendable, CaseIterable {
    case living
    /// Devices that are dead: they are found only by number, id, contact and app, and nothing is sent to them.
    case dormant

    var name: SQLText {
        switch self {
        case .living: "devices"
        case .dormant: "dormant_devices"
        }
    }

    /// The source after `FROM`, so that a statement names the columns as those of `devices`.
    var source: SQLText {
        switch self {
        case .living: "devices"
        case .dormant: "dormant_devices devices"
        }
    }

    /// What is found in one of the tables. The second is read only if the first has nothing, so devices in use cost
    /// nothing more.
    static func first<Found>(_ look: (DeviceTable) throws -> Found?) rethrows -> Found? {
        for table in allCases {
            if let found = try look(table) { return found }
        }
        return nil
    }

    /// The results from both tables, beginning with the devices in use.
    static func both<Found>(_ look: (DeviceTable) throws -> [Found]) rethrows -> [Found] {
        try allCases.flatMap(look)
    }
}
