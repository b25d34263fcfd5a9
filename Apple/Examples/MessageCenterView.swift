import Belfry
import SwiftUI
import UIKit
import WebKit

/// The list of the messages on the device, newest first. New messages appear by themselves.
struct MessageCenterView: View {
    let client: BelfryClient

    @State private var messages = MessageCenterMessages([])

    var body: some View {
        NavigationStack {
            List(messages) { message in
                NavigationLink(value: message) {
                    MessageRow(message: message)
                }
                // Counted once per display session, however often the row appears.
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

    /// Loads at once, and again whenever there are new messages. It ends when the list disappears.
    private func follow() async {
        // Created first, so that no update is missed while the list loads.
        let updates = client.messageCenterUpdates
        await load()
        // The person has now seen the messages that the badge counts. Without a network the badge stays. This also
        // removes all of the app's notifications from the system's list, including those of other senders.
        try? await client.resetBadgeCount()
        for await update in updates where (update.centers + update.changedCenters).contains("Primary") {
            await load()
        }
    }

    private func refresh() async {
        // If it fails, `load` shows the error.
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

/// A row of the list.
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

/// The detail: the rich content if there is one, otherwise the text, and a button for the message's link.
struct MessageView: View {
    let client: BelfryClient
    let message: MessageCenterMessage

    @State private var html: String?
    @State private var notice: String?
    @Environment(\.openURL) private var openURL

    var body: some View {
        VStack(alignment: .leading) {
            Text(message.sentTimestamp, style: .date).font(.caption)
            if let html {
                WebPage(html: html)
            } else {
                Text(message.message)
                if let notice { Text(notice).font(.caption) }
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
            // The first time from the server, then from the device.
            if message.hasRichContent { html = try await client.richContent(for: message.id) }
        } catch let error as MessageCenterError where error.code == .noNetwork {
            notice = "The whole message needs a network."
        } catch {
            notice = "The whole message cannot be loaded."
        }
    }
}

/// The rich content, with script disabled, because none is needed.
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
