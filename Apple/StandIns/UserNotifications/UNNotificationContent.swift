import Foundation

/// What a notification shows. It is immutable; to change it, one makes a mutable copy (pages UNNotificationContent and
/// UNMutableNotificationContent).
open class UNNotificationContent: NSObject, NSCopying, NSMutableCopying {
    struct Fields {
        var title = ""
        var subtitle = ""
        var body = ""
        var badge: NSNumber?
        var sound: UNNotificationSound?
        var categoryIdentifier = ""
        var threadIdentifier = ""
        var userInfo: [AnyHashable: Any] = [:]
        var attachments: [UNNotificationAttachment] = []
    }

    var fields: Fields

    public override init() {
        fields = Fields()
        super.init()
    }

    init(_ fields: Fields) {
        self.fields = fields
        super.init()
    }

    open var title: String { fields.title }
    open var subtitle: String { fields.subtitle }
    open var body: String { fields.body }
    open var badge: NSNumber? { fields.badge }
    open var sound: UNNotificationSound? { fields.sound }
    open var categoryIdentifier: String { fields.categoryIdentifier }
    open var threadIdentifier: String { fields.threadIdentifier }
    open var userInfo: [AnyHashable: Any] { fields.userInfo }
    open var attachments: [UNNotificationAttachment] { fields.attachments }

    public func copy(with zone: NSZone?) -> Any { UNNotificationContent(fields) }
    public func mutableCopy(with zone: NSZone?) -> Any { UNMutableNotificationContent(fields) }
}

open class UNMutableNotificationContent: UNNotificationContent {
    open override var title: String {
        get { fields.title }
        set { fields.title = newValue }
    }
    open override var subtitle: String {
        get { fields.subtitle }
        set { fields.subtitle = newValue }
    }
    open override var body: String {
        get { fields.body }
        set { fields.body = newValue }
    }
    open override var badge: NSNumber? {
        get { fields.badge }
        set { fields.badge = newValue }
    }
    open override var sound: UNNotificationSound? {
        get { fields.sound }
        set { fields.sound = newValue }
    }
    open override var categoryIdentifier: String {
        get { fields.categoryIdentifier }
        set { fields.categoryIdentifier = newValue }
    }
    open override var threadIdentifier: String {
        get { fields.threadIdentifier }
        set { fields.threadIdentifier = newValue }
    }
    open override var userInfo: [AnyHashable: Any] {
        get { fields.userInfo }
        set { fields.userInfo = newValue }
    }
    open override var attachments: [UNNotificationAttachment] {
        get { fields.attachments }
        set { fields.attachments = newValue }
    }
}

public final class UNNotificationSound: NSObject, Sendable {
    private static let standard = UNNotificationSound()

    public class var `default`: UNNotificationSound { standard }
}

/// A file beside a notification. The system refuses a file that does not exist, whose type is not supported, or that is
/// too large: of images JPEG, GIF and PNG up to 10 MB, known by the file's extension (page UNNotificationAttachment).
public final class UNNotificationAttachment: NSObject {
    static let imageTypes: Set<String> = ["jpg", "jpeg", "png", "gif"]
    static let maximumImageBytes = 10 * 1024 * 1024

    public let identifier: String
    public let url: URL

    public init(identifier: String, url: URL, options: [AnyHashable: Any]? = nil) throws {
        guard url.isFileURL, let data = try? Data(contentsOf: url) else { throw UNError(.attachmentInvalidURL) }
        guard Self.imageTypes.contains(url.pathExtension.lowercased()) else {
            throw UNError(.attachmentUnrecognizedType)
        }
        guard data.count <= Self.maximumImageBytes else { throw UNError(.attachmentInvalidFileSize) }
        self.identifier = identifier
        self.url = url
        super.init()
    }
}

public final class UNNotificationRequest: NSObject {
    public let identifier: String
    public let content: UNNotificationContent

    /// The system makes the requests of remote notifications.
    public init(identifier: String, content: UNNotificationContent) {
        self.identifier = identifier
        self.content = content
        super.init()
    }
}

public final class UNNotification: NSObject {
    public let request: UNNotificationRequest

    init(_ request: UNNotificationRequest) {
        self.request = request
        super.init()
    }
}

public final class UNNotificationResponse: NSObject {
    public let notification: UNNotification
    public let actionIdentifier: String

    init(_ notification: UNNotification, action: String) {
        self.notification = notification
        actionIdentifier = action
        super.init()
    }
}

/// Changes a remote notification before it is shown. A subclass overrides both methods and calls the handler once (page
/// UNNotificationServiceExtension).
open class UNNotificationServiceExtension: NSObject {
    open func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {}

    open func serviceExtensionTimeWillExpire() {}
}
