import Belfry
import BelfryModel
import SwiftUI

/// The home screen of a shop: it tells that it is shown, and has a place for inline messages.
struct HomeView: View {
    let client: BelfryClient

    var body: some View {
        VStack {
            BelfryInlineMessage(viewID: "home-top", client: client)
            Text("Our shop")
        }
        // Messages may wait for a screen, as for any event.
        .onAppear { client.trackScreen("home") }
    }
}

/// During a payment nothing is to be in the way. What is due meanwhile is shown afterwards.
struct PaymentView: View {
    let client: BelfryClient

    var body: some View {
        Text("Payment")
            .onAppear { client.pauseInAppMessages() }
            .onDisappear { client.resumeInAppMessages() }
    }
}

/// The app's own word about each message. Give it to `setInAppDelegate(_:)` once.
struct ShopMessages: InAppMessageDelegate {
    /// Opens a page of the app; false when there is none for the address.
    let open: @MainActor @Sendable (String) -> Bool
    /// Whether the person is in the middle of something.
    let isBusy: @MainActor @Sendable () -> Bool

    func shouldShow(_ message: InAppMessage) async -> InAppDisplayAnswer {
        await isBusy() ? .defer : .show
    }

    func handle(_ action: InAppAction, of message: InAppMessage) async -> Bool {
        // What the app does not open itself is left to the SDK.
        guard let url = action.url else { return false }
        return await open(url)
    }
}

/// Prints why each message was shown or not, for support.
func logDecisions(of client: BelfryClient) async {
    for await decision in client.inAppDecisions {
        print("Campaign \(decision)")
    }
}
