import Belfry
import SwiftUI
import UIKit
import WebKit

/// The list: what the device has, newest first. It shows new messages by itself.
struct MessageCenterView: View {
    let client: BelfryClient

    @State private var messages = MessageCenterMessages([])

    var body: some View {
        NavigationStack {
            List(messages) { message in
                NavigationLink(value: message) {
                    MessageRow(message: message)
                }
                // Counted once in a session, however often the row comes into sight.
                .onAppear { client.trackMessageCenterDisplay(message.id) }
                .swipeActions {
                    Button("Delete", role: .destructive) { delete(message) }
                }
            }
            .navigationTitle("Messages")
            .navigationDestination(for: MessageCenterMessage.self) { message in
                MessageView(client: client, message: message)
            }
            .overlay {
                if messages.isEmpty { Text(messages.error == nil ? "No messages" : "Messages cannot be loaded") }
            }
            // The display session.
            .onAppear { client.messageCenterViewWillAppear() }
            .onDisappear { client.messageCenterViewWillDisappear() }
            .refreshable { await refresh() }
            .task { await follow() }
        }
    }

    private func load() async {
        do {
            messages = try await client.messages()
        } catch {
            print("Belfry: \(error)")
        }
    }

    /// Loads at once, and whenever new messages have come. It ends when the list disappears.
    private func follow() async {
        // First, so that nothing is missed while it loads.
        let updates = client.messageCenterUpdates
        await load()
        // Who looks at the list has seen what the number on the icon was about. Without a network it stays. It takes all
        // of the app's notifications out of the system's list, those of others among them.
        try? await client.resetBadgeCount()
        for await update in updates where update.centers.contains("Primary") {
            await load()
        }
    }

    private func refresh() async {
        // Why it failed says the list itself.
        try? await client.refreshMessageCenters()
        await load()
    }

    private func delete(_ message: MessageCenterMessage) {
        Task {
            try await client.delete(message.id)
            await load()
        }
    }
}

/// A message in short.
struct MessageRow: View {
    let message: MessageCenterMessage

    var body: some View {
        VStack(alignment: .leading) {
            Text(message.subject).font(message.isUnread ? .headline : .body)
            Text(message.message).font(.subheadline)
            Text(message.sentTimestamp, style: .date).font(.caption)
        }
    }
}

/// The detail: the rich content when there is one, else the text. The app goes where the message leads.
struct MessageView: View {
    let client: BelfryClient
    let message: MessageCenterMessage

    @State private var html: String?
    @State private var fault: String?
    @Environment(\.openURL) private var openURL

    var body: some View {
        VStack(alignment: .leading) {
            Text(message.sentTimestamp, style: .date).font(.caption)
            if let html {
                WebPage(html: html)
            } else {
                Text(message.message)
                if let fault { Text(fault).font(.caption) }
            }
            if let url = message.deeplinkURL ?? message.richMessageURL {
                Button("Open") { openURL(url) }
            }
        }
        .navigationTitle(message.subject)
        .task { await open() }
    }

    private func open() async {
        do {
            try await client.trackMessageCenterOpen(message.id)
            try await client.markRead(message.id)
            // From the server the first time, then from the device.
            if message.hasRichContent { html = try await client.richContent(for: message.id) }
        } catch let error as MessageCenterError where error.code == .noNetwork {
            fault = "The whole message needs a network."
        } catch {
            fault = "The whole message cannot be loaded."
        }
    }
}

/// The rich content, without scripts: nothing of it needs to run.
struct WebPage: UIViewRepresentable {
    let html: String

    func makeUIView(context: Context) -> WKWebView {
        let configuration = WKWebViewConfiguration()
        configuration.defaultWebpagePreferences.allowsContentJavaScript = false
        return WKWebView(frame: .zero, configuration: configuration)
    }

    func updateUIView(_ view: WKWebView, context: Context) {
        _ = view.loadHTMLString(html, baseURL: nil)
    }
}
