import Belfry
import BelfryModel
import Foundation

/// The state of a phone at one moment, as a browser shows it.
struct PhoneView: Sendable, Encodable {
    struct Notification: Sendable, Encodable {
        let id: Int
        let title: String?
        let subtitle: String?
        let body: String?
        let thread: String
        let image: String?
        let buttons: [Button]
        let at: Date
        let isBelfrys: Bool
    }

    struct Button: Sendable, Encodable {
        let id: String
        let text: String
    }

    struct Message: Sendable, Encodable {
        let id: String
        let subject: String
        let text: String
        let icon: String?
        let link: String?
        let at: Date
        let isUnread: Bool
        let hasPage: Bool
    }

    struct OpenMessage: Sendable, Encodable {
        let message: Message
        let hasPage: Bool
        let isLoading: Bool
    }

    struct Overlay: Sendable, Encodable {
        let page: Int
        let type: String
        let isShown: Bool
    }

    struct App: Sendable, Encodable {
        let tab: SampleApp.Tab
        let products: [SampleApp.Product]
        let product: String?
        let basket: [SampleApp.Product]
        let person: String?
        let attributes: [String: AttributeValue]
        let tags: [String]
        let pushEnabled: Bool
        let unread: Int
        let messages: [Message]
        let message: OpenMessage?
        let link: String?
        let inline: Int?
    }

    let number: Int
    /// The phone's time, rounded down to a full minute: a phone shows no seconds.
    let now: Date
    let clockOffset: TimeInterval
    let place: PhoneSystem.Place
    let process: PhoneSystem.Process
    let permission: PushPermission
    let isAsking: Bool
    let isOnline: Bool
    let badge: Int
    let locale: String
    let timeZone: String
    let isDark: Bool
    let hasLargeText: Bool
    let notifications: [Notification]
    let banner: Notification?
    let overlay: Overlay?
    let app: App?
}

extension PhoneView.Notification {
    init(_ notification: PhoneNotification) {
        id = notification.id
        title = notification.title
        subtitle = notification.subtitle
        body = notification.body
        thread = notification.threadID ?? ""
        image = notification.image?.absoluteString
        buttons = notification.buttons.map { PhoneView.Button(id: $0.id, text: $0.text) }
        at = notification.at
        isBelfrys = notification.push != nil
    }
}

extension PhoneView.Message {
    init(_ message: MessageCenterMessage) {
        id = message.id
        subject = message.subject
        text = message.message
        icon = message.iconURL?.absoluteString
        link = message.deeplinkURL?.absoluteString
        at = message.sentTimestamp
        isUnread = message.isUnread
        hasPage = message.hasRichContent
    }
}

extension PhoneView {
    /// - Parameters:
    ///   - overlay: the in-app page that covers the app.
    ///   - app: the app's content; nil while the app is not visible.
    init(number: Int, now: Date, system: PhoneSystem, overlay: Overlay?, app: App?) {
        self.init(
            number: number, now: now, clockOffset: system.clockOffset, place: system.place,
            process: system.process, permission: system.permission, isAsking: system.isAsking,
            isOnline: system.isOnline, badge: system.badge, locale: system.locale, timeZone: system.timeZone,
            isDark: system.isDark, hasLargeText: system.hasLargeText,
            notifications: system.notifications.reversed().map { Notification($0) },
            banner: system.banner.map { Notification($0) }, overlay: overlay, app: app
        )
    }
}

extension PhoneView.App {
    /// The number of messages that the inbox lists.
    private static let maximumMessages = 50

    /// The app's content, with data from its client; nil when the client's storage cannot be read.
    static func shown(by session: AppSession) async -> Self? {
        guard let record = try? await session.client.record() else { return nil }
        let client = session.client
        let app = await session.shop.state
        let messages = ((try? await client.messages()).map { Array($0) } ?? [])
            .prefix(Self.maximumMessages).map { PhoneView.Message($0) }
        let open = app.message.map { open in
            PhoneView.OpenMessage(
                message: PhoneView.Message(open.message), hasPage: open.html != nil, isLoading: open.isLoading
            )
        }
        return Self(
            tab: app.tab, products: SampleApp.products, product: app.product,
            basket: app.basket.compactMap(SampleApp.product), person: record.contactKey,
            attributes: record.attributes, tags: record.tags, pushEnabled: record.pushEnabled,
            unread: (try? await client.unreadCount()) ?? 0, messages: messages, message: open, link: app.link,
            inline: app.inline
        )
    }
}
