import Belfry
import SwiftUI
import UIKit
import WebKit

/// The list of the messages on the device, newest first. New messages appear by themselves.
struct MessageCenterView: View {
    let client: BelfryClient

    @State private var messages = MessageCenterMessages([])
    /// What did not work, for the person.
    @State private var notice: String?

    var body: some View {
        NavigationStack {
            VStack(alignment: .leading) {
                if let notice { Text(notice).font(.caption) }
                list
            }
            .navigationTitle("Messages")
            .navigationDestination(for: MessageCenterMessage.self) { message in
                MessageView(client: client, message: message)
            }
            // The display session.
            .onAppear { client.messageCenterViewWillAppear() }
            .onDisappear { client.messageCenterViewWillDisappear() }
            .task { await follow() }
        }
    }

    private var list: some View {
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
        .overlay {
            if messages.isEmpty { Text(messages.error == nil ? "No messages" : "Messages cannot be loaded") }
        }
        .refreshable { await refresh() }
    }

    private func load() async {
        do {
            messages = try await client.messages()
            notice = messages.error == nil ? nil : "The list may be old: \(reason(messages.error))"
        } catch {
            notice = "The messages on this device cannot be read."
        }
    }

    /// Loads at once, and again whenever there are new messages. It ends when the list disappears.
    private func follow() async {
        // Created first, so that no update is missed while the list loads.
        let updates = client.messageCenterUpdates
        await load()
        do {
            // The person has now seen the messages that the badge counts. This also removes all of the app's
            // notifications from the system's list, including those of other senders.
            try await client.resetBadgeCount()
        } catch {
            notice = "The number on the icon stays: \(reason(error))"
        }
        for await update in updates where (update.centers + update.changedCenters).contains("Primary") {
            await load()
        }
    }

    private func refresh() async {
        do {
            try await client.refreshMessageCenters()
            await load()
        } catch {
            await load()
            notice = "There may be newer messages: \(reason(error))"
        }
    }

    private func delete(_ message: MessageCenterMessage) {
        Task {
            do throws(MessageCenterError) {
                try await client.delete(message.id)
                await load()
            } catch {
                notice = "The message cannot be deleted: \(reason(error))"
            }
        }
    }
}

/// An error in words for the person.
func reason(_ error: MessageCenterError?) -> String {
    switch error?.code {
    case .noNetwork?, .maximumRetryReached?: "there is no connection."
    case .serverUnavailable?, .tooManyRequests?: "the service is busy. Try again later."
    case .storageUnavailable?: "this device has no room."
    default: "try again later."
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

/// The detail: the rich content or the page if there is one, otherwise the text, and a button for the message's link.
struct MessageView: View {
    let client: BelfryClient
    let message: MessageCenterMessage

    @State private var html: String?
    @State private var notice: String?
    @Environment(\.openURL) private var openURL

    var body: some View {
        VStack(alignment: .leading) {
            Text(message.sentTimestamp, style: .date).font(.caption)
            if let notice { Text(notice).font(.caption) }
            if let html {
                WebPage(content: .html(html))
            } else if let page = message.richMessageURL {
                WebPage(content: .address(page))
            } else {
                Text(message.message)
            }
            if let url = message.deeplinkURL {
                Button("Open") { open(url) }
            }
        }
        .navigationTitle(message.subject)
        .task { await load() }
    }

    private func load() async {
        do {
            try await client.trackMessageCenterOpen(message.id)
            try await client.markRead(message.id)
            // The first time from the server, then from the device.
            if message.hasRichContent { html = try await client.richContent(for: message.id) }
        } catch let error as MessageCenterError {
            notice = "The whole message cannot be loaded: \(reason(error))"
        } catch {
            notice = "This device cannot remember that the message was read."
        }
    }

    private func open(_ url: URL) {
        openURL(url) { isOpen in
            if !isOpen { notice = "No app on this device opens this link." }
        }
    }
}

/// A page in a web view.
struct WebPage: UIViewRepresentable {
    enum Content {
        /// Rich content. It needs no script, and gets none.
        case html(String)
        /// A page of the web, with its scripts.
        case address(URL)
    }

    let content: Content

    func makeUIView(context: Context) -> WKWebView {
        let configuration = WKWebViewConfiguration()
        if case .html = content { configuration.defaultWebpagePreferences.allowsContentJavaScript = false }
        return WKWebView(frame: .zero, configuration: configuration)
    }

    func updateUIView(_ view: WKWebView, context: Context) {
        switch content {
        case .html(let html): _ = view.loadHTMLString(html, baseURL: nil)
        case .address(let url): _ = view.load(URLRequest(url: url))
        }
    }
}
