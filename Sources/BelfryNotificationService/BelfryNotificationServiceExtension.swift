#if canImport(UserNotifications) && canImport(UIKit) && !os(watchOS) && !os(tvOS)
    import Belfry
    import BelfryWire
    import Foundation
    import UserNotifications

    /// The class of a notification service extension (PUSH-8): it shows the image of a push, reports that the push was
    /// received, notes for the app what it announces, and keeps a push for a former person from being shown.
    ///
    /// ```swift
    /// final class NotificationService: BelfryNotificationServiceExtension {
    ///     override var settings: NotificationServiceSettings { … }
    /// }
    /// ```
    ///
    /// Pushes of other senders stay as they are; override ``didReceiveOther(_:withContentHandler:)`` for them.
    open class BelfryNotificationServiceExtension: UNNotificationServiceExtension {
        /// What is shown at the end; each request is answered once.
        private let pending = PendingContent()

        /// The network; tests have one of their own.
        var makeTransport: @Sendable (URL) -> any Transport = { HTTPTransport(serverURL: $0) }
        var fetchImage: @Sendable (String, NotificationServiceSettings) async -> Data? = { address, settings in
            await PushImage.fetch(address, atMost: settings.maximumImageBytes, within: settings.imageTimeout)
        }

        /// How pushes are treated. Override it.
        open var settings: NotificationServiceSettings {
            NotificationServiceSettings(appCode: "", appGroupDirectory: nil)
        }

        /// A push of another sender has arrived. By default it is shown as it is.
        open func didReceiveOther(
            _ request: UNNotificationRequest,
            withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
        ) {
            contentHandler(request.content)
        }

        /// The system has received a push.
        open override func didReceive(
            _ request: UNNotificationRequest,
            withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
        ) {
            guard let push = ReceivedPush(userInfo: request.content.userInfo) else {
                return didReceiveOther(request, withContentHandler: contentHandler)
            }
            let settings = settings
            let decision = PushReception(settings, .live).decide(on: push)
            pending.begin(Self.content(decision.appearance, of: request, push), contentHandler)
            guard case .shown = decision.appearance else { return pending.deliver(image: nil) }
            let work = ReceptionWork(
                decision: decision,
                settings: settings,
                fetchImage: { [fetchImage] address in await fetchImage(address, settings) },
                transport: makeTransport,
                pause: { try? await Task.sleep(for: .seconds($0)) }
            )
            pending.work { [pending] in
                let image = await work.run()
                pending.deliver(image: image)
            }
        }

        /// The time is almost over: the push is shown as far as it is ready.
        open override func serviceExtensionTimeWillExpire() {
            pending.deliver(image: nil)
        }

        private static func content(
            _ appearance: ReceptionDecision.Appearance, of request: UNNotificationRequest, _ push: ReceivedPush
        ) -> UNNotificationContent {
            switch appearance {
            case .hidden:
                // With the entitlement, the system shows nothing for an empty content.
                return UNNotificationContent()
            case .neutral(let text):
                let content = UNMutableNotificationContent()
                content.body = text
                content.sound = request.content.sound
                // What the app needs to see that it is not for the present person.
                var marker: [String: Any] = ["sid": push.payload.sid]
                marker["to"] = push.payload.to
                content.userInfo = [PushPayload.key: marker]
                return content
            case .shown(let badge):
                guard let badge, let content = request.content.mutableCopy() as? UNMutableNotificationContent else {
                    return request.content
                }
                content.badge = NSNumber(value: badge)
                return content
            }
        }
    }

    /// The content that the system waits for, delivered once.
    // Unchecked: its state is accessed under its lock only.
    private final class PendingContent: @unchecked Sendable {
        private let lock = NSLock()
        private var content: UNNotificationContent?
        private var handler: ((UNNotificationContent) -> Void)?
        private var task: Task<Void, Never>?

        func begin(_ content: UNNotificationContent, _ handler: @escaping (UNNotificationContent) -> Void) {
            lock.withLock {
                self.content = content
                self.handler = handler
            }
        }

        func work(_ body: @escaping @Sendable () async -> Void) {
            lock.withLock { task = Task { await body() } }
        }

        /// - Parameter image: nil for none.
        func deliver(image: Data?) {
            let (content, handler, task) = lock.withLock {
                defer { (self.content, self.handler, self.task) = (nil, nil, nil) }
                return (self.content, self.handler, self.task)
            }
            guard let content, let handler else { return }
            handler(image.map { Self.with($0, content) } ?? content)
            task?.cancel()
        }

        /// An image that the system does not take is left out.
        private static func with(_ image: Data, _ content: UNNotificationContent) -> UNNotificationContent {
            let name = DeviceEnvironment.live.makeUUID().uuidString
            let directory = FileManager.default.temporaryDirectory
            guard let file = PushImage.store(image, named: name, in: directory),
                let attachment = try? UNNotificationAttachment(identifier: "image", url: file),
                let shown = content.mutableCopy() as? UNMutableNotificationContent
            else { return content }
            shown.attachments = [attachment]
            return shown
        }
    }
#endif
