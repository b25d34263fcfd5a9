import Belfry
import UIKit
import WebKit

/// The list of the messages on the device, newest first. New messages appear by themselves.
final class MessageCenterController: UITableViewController {
    private let client: BelfryClient
    private var messages = MessageCenterMessages([])
    private var following: Task<Void, Never>?

    init(client: BelfryClient) {
        self.client = client
        super.init(style: .plain)
        title = "Messages"
    }

    required init?(coder: NSCoder) {
        // A storyboard cannot provide the client.
        return nil
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        let control = UIRefreshControl()
        control.addAction(UIAction { [weak self] _ in self?.refresh() }, for: .valueChanged)
        refreshControl = control
    }

    override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        client.messageCenterViewWillAppear()
        following = Task { [weak self, client] in
            // Created first, so that no update is missed while the list loads.
            let updates = client.messageCenterUpdates
            await self?.load()
            do throws(MessageCenterError) {
                // The person has now seen the messages that the badge counts.
                try await client.resetBadgeCount()
            } catch {
                self?.show("The number on the icon stays.", because: error)
            }
            for await update in updates where (update.centers + update.changedCenters).contains("Primary") {
                await self?.load()
            }
        }
    }

    override func viewWillDisappear(_ animated: Bool) {
        super.viewWillDisappear(animated)
        following?.cancel()
        client.messageCenterViewWillDisappear()
    }

    private func load() async {
        do {
            messages = try await client.messages()
        } catch {
            show("The messages on this device cannot be read.")
        }
        let label = UILabel(frame: tableView.bounds)
        label.text = messages.error == nil ? "No messages" : "Messages cannot be loaded"
        tableView.backgroundView = messages.isEmpty ? label : nil
        navigationItem.prompt = messages.error == nil || messages.isEmpty ? nil : "The list may be old."
        tableView.reloadData()
    }

    private func refresh() {
        Task {
            do throws(MessageCenterError) {
                try await client.refreshMessageCenters()
            } catch {
                show("There may be newer messages.", because: error)
            }
            await load()
            refreshControl?.endRefreshing()
        }
    }

    override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
        messages.count
    }

    override func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        let message = messages[indexPath.row]
        let cell =
            tableView.dequeueReusableCell(withIdentifier: "message")
            ?? UITableViewCell(style: .subtitle, reuseIdentifier: "message")
        cell.textLabel?.text = message.subject
        cell.textLabel?.font = .preferredFont(forTextStyle: message.isUnread ? .headline : .body)
        cell.detailTextLabel?.text = message.message
        cell.detailTextLabel?.numberOfLines = 2
        // Counted once per display session, however often the row appears.
        client.trackMessageCenterDisplay(message.id)
        return cell
    }

    override func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
        let detail = MessageController(client: client, message: messages[indexPath.row])
        navigationController?.pushViewController(detail, animated: true)
    }

    override func tableView(
        _ tableView: UITableView,
        trailingSwipeActionsConfigurationForRowAt indexPath: IndexPath
    ) -> UISwipeActionsConfiguration? {
        let message = messages[indexPath.row]
        let action = UIContextualAction(style: .destructive, title: "Delete") { [weak self] _, _, completion in
            self?.delete(message)
            completion(true)
        }
        return UISwipeActionsConfiguration(actions: [action])
    }

    private func delete(_ message: MessageCenterMessage) {
        Task {
            do throws(MessageCenterError) {
                try await client.delete(message.id)
            } catch {
                show("The message cannot be deleted.", because: error)
            }
            await load()
        }
    }
}

/// The detail: the rich content or the page if there is one, otherwise the text, and a button for the message's link.
final class MessageController: UIViewController {
    private let client: BelfryClient
    private let message: MessageCenterMessage

    init(client: BelfryClient, message: MessageCenterMessage) {
        self.client = client
        self.message = message
        super.init(nibName: nil, bundle: nil)
        title = message.subject
    }

    required init?(coder: NSCoder) {
        // A storyboard cannot provide the message.
        return nil
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        view.backgroundColor = .systemBackground
        if let url = message.deeplinkURL {
            let action = UIAction { [weak self] _ in self?.open(url) }
            navigationItem.rightBarButtonItem = UIBarButtonItem(title: "Open", primaryAction: action)
        }
        Task { await load() }
    }

    private func load() async {
        do {
            try await client.trackMessageCenterOpen(message.id)
            try await client.markRead(message.id)
            if message.hasRichContent {
                // The first time from the server, then from the device.
                fill(with: try await richPage())
            } else if let url = message.richMessageURL {
                fill(with: webPage(at: url))
            } else {
                fill(with: text())
            }
        } catch let error as MessageCenterError {
            fill(with: text())
            show("The whole message cannot be loaded.", because: error)
        } catch {
            fill(with: text())
            show("This device cannot remember that the message was read.")
        }
    }

    private func fill(with content: UIView) {
        content.frame = view.bounds
        content.autoresizingMask = [.flexibleWidth, .flexibleHeight]
        view.addSubview(content)
    }

    private func text() -> UIView {
        let text = UITextView(frame: view.bounds)
        text.text = message.message
        text.isEditable = false
        text.font = .preferredFont(forTextStyle: .body)
        return text
    }

    private func richPage() async throws -> UIView {
        let html = try await client.richContent(for: message.id)
        let configuration = WKWebViewConfiguration()
        // Rich content needs no script.
        configuration.defaultWebpagePreferences.allowsContentJavaScript = false
        let page = WKWebView(frame: view.bounds, configuration: configuration)
        _ = page.loadHTMLString(html, baseURL: nil)
        return page
    }

    private func open(_ url: URL) {
        UIApplication.shared.open(url, options: [:]) { [weak self] isOpen in
            if !isOpen { self?.show("No app on this device opens this link.") }
        }
    }
}

/// A page of the web, such as the rich message of a push.
final class PageController: UIViewController {
    private let url: URL

    init(url: URL) {
        self.url = url
        super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) {
        // A storyboard cannot provide the address.
        return nil
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        let page = webPage(at: url)
        page.frame = view.bounds
        page.autoresizingMask = [.flexibleWidth, .flexibleHeight]
        view.addSubview(page)
    }
}

@MainActor
private func webPage(at url: URL) -> UIView {
    let page = WKWebView(frame: .zero, configuration: WKWebViewConfiguration())
    _ = page.load(URLRequest(url: url))
    return page
}

extension UIViewController {
    /// Tells the person what did not work.
    func show(_ failure: String, because error: MessageCenterError? = nil) {
        let hint: String? =
            switch error?.code {
            case .noNetwork?, .maximumRetryReached?: "There is no connection."
            case nil: nil
            default: "Please try again later."
            }
        let alert = UIAlertController(title: failure, message: hint, preferredStyle: .alert)
        alert.addAction(UIAlertAction(title: "OK", style: .default))
        present(alert, animated: true)
    }
}
