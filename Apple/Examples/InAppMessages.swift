import Belfry
import BelfryModel
import SwiftUI

/// The home screen of a shop: it reports that it is shown, and has a view for inline messages.
struct HomeView: View {
    let client: BelfryClient

    var body: some View {
        VStack {
            BelfryInlineMessage(viewID: "home-top", client: client)
            Text("Our shop")
        }
        // A screen can trigger messages, like any event.
        .onAppear { client.trackScreen("home") }
    }
}

/// No message interrupts a payment. Messages that become due meanwhile are shown afterwards.
struct PaymentView: View {
    let client: BelfryClient

    var body: some View {
        Text("Payment")
            .onAppear { client.pauseInAppMessages() }
            .onDisappear { client.resumeInAppMessages() }
    }
}

/// The app's decision about each message. Pass it to `setInAppDelegate(_:)` once.
struct ShopMessages: InAppMessageDelegate {
    /// Opens a page of the app; returns false if there is none for the address.
    let open: @MainActor @Sendable (String) -> Bool
    /// Whether the person is in the middle of something.
    let isBusy: @MainActor @Sendable () -> Bool

    func shouldShow(_ message: InAppMessage) async -> InAppDisplayDecision {
        await isBusy() ? .defer : .show
    }

    func handle(_ action: InAppAction, of message: InAppMessage) async -> Bool {
        // The SDK opens what the app does not open.
        guard let url = action.url else { return false }
        return await open(url)
    }
}

/// Logs why each message was shown or not.
func logDecisions(of client: BelfryClient) async {
    for await decision in client.inAppDecisions {
        print("Campaign \(decision)")
    }
}
