#if (canImport(UIKit) || canImport(AppKit)) && canImport(WebKit)
    import BelfryInAppRenderer
    import Foundation
    import WebKit

    #if canImport(UIKit)
        /// The window or panel that shows the page of a message over the app.
        @available(iOSApplicationExtension, unavailable)
        private typealias InAppStage = InAppWindow
    #else
        /// The window or panel that shows the page of a message over the app.
        private typealias InAppStage = InAppPanel
    #endif

    /// Shows in-app messages in a web view: on iOS in a window over the app's own (IAM-12), on macOS in a panel over the
    /// app's main window (IAM-17). ``ApplePlatform`` has one.
    @available(iOSApplicationExtension, unavailable)
    public struct WebInAppPresenter: InAppPresenter {
        /// Creates a presenter that shows messages in the scene in front, or over the main window.
        public init() {}

        /// Loads the page in a web view out of sight.
        public func prepare(_ page: InAppDisplay) async throws -> any InAppPresentation {
            try await WebInAppPresentation.made(of: page)
        }
    }

    /// A loaded page, on the stage on which it will be shown.
    @available(iOSApplicationExtension, unavailable)
    @MainActor
    private final class WebInAppPresentation: InAppPresentation {
        nonisolated let commands: AsyncStream<InAppBridgeCommand>

        private let continuation: AsyncStream<InAppBridgeCommand>.Continuation
        private let stage: InAppStage
        private var watch: (any NSObjectProtocol)?

        private init(on stage: InAppStage) {
            // Keeps the newest commands, so that the person can close the page however many commands it sends.
            let made = AsyncStream<InAppBridgeCommand>.makeStream(bufferingPolicy: .bufferingNewest(64))
            commands = made.stream
            continuation = made.continuation
            self.stage = stage
        }

        static func made(of display: InAppDisplay) async throws -> WebInAppPresentation {
            let stage = try InAppStage.made(for: display)
            do {
                try await stage.page.load()
            } catch {
                stage.page.end()
                stage.disappear()
                throw error
            }
            return WebInAppPresentation(on: stage)
        }

        func present() async -> Bool {
            stage.page.said = { [continuation] command in continuation.yield(command) }
            stage.page.lost = { [continuation] in continuation.finish() }
            watchStage()
            return stage.appear()
        }

        func close() async {
            if let watch { NotificationCenter.default.removeObserver(watch) }
            watch = nil
            stage.page.end()
            stage.disappear()
            continuation.finish()
        }

        private func watchStage() {
            let ending = stage.ending
            watch = NotificationCenter.default.addObserver(forName: ending.name, object: ending.object, queue: nil) {
                [continuation] _ in continuation.finish()
            }
        }
    }
#endif
