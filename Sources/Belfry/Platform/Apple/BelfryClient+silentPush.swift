#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
    import UIKit

    extension BelfryClient {
        /// Forwards `application(_:didReceiveRemoteNotification:)`: a push arrived while the app is not shown, and the
        /// system woke it. It is recorded once, and waiting data is sent as far as the system's time allows. No session
        /// begins and no registration is sent until the app is shown, even if it was shown before in this process.
        ///
        /// - Parameter userInfo: of a push from Belfry or another sender; another sender's is not recorded.
        @MainActor
        public func didReceiveRemoteNotification(_ userInfo: [AnyHashable: Any]) async -> UIBackgroundFetchResult {
            guard let push = ReceivedPush(userInfo: userInfo) else { return .noData }
            do throws(BelfryError) {
                try await handlePush(push)
                try await engine.lifecycle.flushInBackground()
                return .newData
            } catch {
                engine.reporter.failed(error)
                return .failed
            }
        }
    }
#elseif canImport(AppKit)
    import AppKit

    extension BelfryClient {
        /// Forwards `application(_:didReceiveRemoteNotification:)` of a Mac app, which keeps running in the background:
        /// the push is recorded once, and waiting data is sent. It returns immediately and does its work off the
        /// calling thread, in the order of the forwarded calls; its errors are in `reports`.
        ///
        /// - Parameter userInfo: of a push from Belfry or another sender; another sender's is not recorded.
        public func didReceiveRemoteNotification(_ userInfo: [String: Any]) {
            guard let push = ReceivedPush(userInfo: userInfo) else { return }
            forward { client throws(BelfryError) in
                try await client.handlePush(push)
                try await client.engine.lifecycle.flushInBackground()
            }
        }
    }
#endif
