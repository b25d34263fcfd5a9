#if canImport(UIKit) && canImport(WebKit)
    import BelfryInAppRenderer
    import UIKit
    import WebKit

    /// Shows in-app messages in a web view, in a window over the app's own (IAM-12). ``ApplePlatform`` has one.
    @available(iOSApplicationExtension, unavailable)
    public struct WebInAppPresenter: InAppPresenter {
        /// Creates a presenter that shows messages in the scene in front.
        public init() {}

        /// Loads the page in a web view out of sight.
        public func prepare(_ page: InAppDisplay) async throws -> any InAppPresentation {
            try await WebInAppPresentation.made(of: page)
        }
    }

    /// A loaded page, in the window in which it will be shown.
    @available(iOSApplicationExtension, unavailable)
    @MainActor
    private final class WebInAppPresentation: InAppPresentation {
        nonisolated let commands: AsyncStream<InAppBridgeCommand>

        private let continuation: AsyncStream<InAppBridgeCommand>.Continuation
        private let page: InAppWebPage
        private let window: InAppWindow
        private var watch: (any NSObjectProtocol)?

        private init(_ page: InAppWebPage, in window: InAppWindow) {
            // The newest, so that the person can close the page however many commands it sends.
            let made = AsyncStream<InAppBridgeCommand>.makeStream(bufferingPolicy: .bufferingNewest(64))
            commands = made.stream
            continuation = made.continuation
            self.page = page
            self.window = window
        }

        static func made(of display: InAppDisplay) async throws -> WebInAppPresentation {
            let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
            guard let scene = scenes.first(where: { $0.activationState == .foregroundActive }) else {
                throw InAppScreenMissing()
            }
            let page = InAppWebPage(display, frame: scene.coordinateSpace.bounds)
            let window = InAppWindow(page, in: scene)
            do {
                try await page.load()
            } catch {
                page.end()
                window.disappear()
                throw error
            }
            return WebInAppPresentation(page, in: window)
        }

        func present() async -> Bool {
            page.said = { [continuation] command in continuation.yield(command) }
            page.lost = { [continuation] in continuation.finish() }
            watchScene()
            return window.appear()
        }

        func close() async {
            if let watch { NotificationCenter.default.removeObserver(watch) }
            watch = nil
            page.end()
            window.disappear()
            continuation.finish()
        }

        /// A window is removed with its scene.
        private func watchScene() {
            let name = UIScene.didDisconnectNotification
            watch = NotificationCenter.default.addObserver(forName: name, object: window.windowScene, queue: nil) {
                [continuation] _ in continuation.finish()
            }
        }
    }
#endif
