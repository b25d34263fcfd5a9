/// The action of opening a notification.
public struct NotificationAction: Hashable, Sendable, Codable {
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case launchApp
        case openUrl
        case openRichMessage
    }

    public var type: Kind
    public var url: String?

    public init(type: Kind, url: String? = nil) {
        self.type = type
        self.url = url
    }
}

/// A button under a notification.
public struct NotificationButton: Hashable, Sendable, Codable {
    public var id: String
    public var text: String
    public var action: NotificationAction?

    public init(id: String, text: String, action: NotificationAction? = nil) {
        self.id = id
        self.text = text
        self.action = action
    }
}
