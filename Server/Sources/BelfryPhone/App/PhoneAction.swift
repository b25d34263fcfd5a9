import BelfryModel
import Foundation

/// An action of a person on a phone, or an event such as a lost token.
package struct PhoneAction: Sendable, Decodable {
    /// The largest action as JSON, in bytes.
    package static let maximumBytes = 65_536

    enum Kind: String, Sendable, Decodable {
        // The phone
        case unlock, lock, home, open, kill, reinstall
        case airplane, clock, locale, timeZone, dark, largeText
        // Permission: the app asks, the person answers, or changes the system's settings
        case ask, answer, setting
        case tokenLost
        // Notifications
        case tap, dismiss, dismissBanner
        // The app
        case tab, product, buy, checkout, track, login, logout, pushSwitch, tracking, attribute, tag, flush
        case message, closeMessage, deleteMessage, refreshInbox, resetBadge, closeLink, wipe, restart
        // A page of an in-app message
        case page
    }

    let `do`: Kind
    /// A name, value or text; its meaning depends on the kind.
    let name: String?
    let value: String?
    let on: Bool?
    let seconds: Double?
    let number: Int?

    /// - Throws: a decoding error for JSON that is not an action.
    package init(json: Data) throws {
        self = try CheckedJSON.decode(PhoneAction.self, from: json, maximumBytes: Self.maximumBytes)
    }

    init(
        _ kind: Kind, name: String? = nil, value: String? = nil, on: Bool? = nil, seconds: Double? = nil,
        number: Int? = nil
    ) {
        self.do = kind
        self.name = name
        self.value = value
        self.on = on
        self.seconds = seconds
        self.number = number
    }
}

/// An action that cannot be carried out.
struct PhoneActionError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    static let off = PhoneActionError("The phone is switched off.")
    static let notRunning = PhoneActionError("The app is not running. Open it first.")
}
