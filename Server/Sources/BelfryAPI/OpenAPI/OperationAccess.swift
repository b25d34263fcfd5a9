import BelfryServices

/// Who may use an operation.
enum OperationAccess: Hashable, Sendable {
    static let contactToken = "contactToken"
    static let adminKey = "adminKey"

    /// Anybody.
    case open
    /// A device that names itself.
    case device
    /// The same; a contact token, if it has one, shows that it is the linked device.
    case deviceWithOptionalToken
    /// A device with a contact token of its own (WIRE-22).
    case linkedDevice
    /// The bearer of an admin key with this scope (ADM-1).
    case admin(AdminScope)

    var isDevice: Bool {
        switch self {
        case .device, .deviceWithOptionalToken, .linkedDevice: true
        case .open, .admin: false
        }
    }

    var isAdmin: Bool {
        if case .admin = self { true } else { false }
    }

    /// The security requirements: one of them must be met.
    var tree: JSONTree {
        switch self {
        case .open, .device: .list([])
        case .deviceWithOptionalToken: .list([.object([Self.contactToken: .list([])]), .object([:])])
        case .linkedDevice: .list([.object([Self.contactToken: .list([])])])
        case .admin(let scope): .list([.object([Self.adminKey: .list([.string(scope.rawValue)])])])
        }
    }
}
