import Foundation

public struct UIFont: Hashable, Sendable {
    public enum TextStyle: Int, Sendable {
        case headline
        case body
    }

    let style: TextStyle

    public static func preferredFont(forTextStyle style: TextStyle) -> UIFont { UIFont(style: style) }
}

@MainActor
public final class UILabel: UIView {
    public var text: String?
    public var font = UIFont.preferredFont(forTextStyle: .body)
    public var numberOfLines = 1
    public var textColor: UIColor?
}

@MainActor
public final class UITextView: UIView {
    public var text = ""
    public var isEditable = true
    public var font: UIFont?
}

@MainActor
public final class UITableViewCell: UIView {
    public enum CellStyle: Int, Sendable {
        case `default`
        case subtitle
    }

    public let reuseIdentifier: String?
    public let textLabel: UILabel? = UILabel(frame: .zero)
    public let detailTextLabel: UILabel? = UILabel(frame: .zero)

    public init(style: CellStyle, reuseIdentifier: String?) {
        self.reuseIdentifier = reuseIdentifier
        super.init(frame: .zero)
    }

    public required init?(coder: NSCoder) {
        return nil
    }
}

/// The control at the top of a list with which a person asks for new content (page UIRefreshControl).
@MainActor
public final class UIRefreshControl: UIView {
    public enum Event: Sendable {
        case valueChanged
    }

    public private(set) var isRefreshing = false
    private var actions: [UIAction] = []

    public init() {
        super.init(frame: .zero)
    }

    public required init?(coder: NSCoder) {
        return nil
    }

    public func addAction(_ action: UIAction, for event: Event) {
        actions.append(action)
    }

    public func endRefreshing() {
        isRefreshing = false
    }

    /// A person pulls.
    public func pull() {
        isRefreshing = true
        for action in actions { action.handler(action) }
    }
}

@MainActor
public final class UIContextualAction {
    public enum Style: Int, Sendable {
        case normal
        case destructive
    }

    public typealias Handler = (UIContextualAction, UIView, @escaping (Bool) -> Void) -> Void

    public let title: String?
    public let handler: Handler

    public init(style: Style, title: String?, handler: @escaping Handler) {
        self.title = title
        self.handler = handler
    }
}

@MainActor
public final class UISwipeActionsConfiguration {
    public let actions: [UIContextualAction]

    public init(actions: [UIContextualAction]) {
        self.actions = actions
    }
}

/// A list that asks its data source for the rows that a person sees (page UITableView).
@MainActor
public final class UITableView: UIView {
    public enum Style: Int, Sendable {
        case plain
        case grouped
    }

    public var refreshControl: UIRefreshControl?
    public var backgroundView: UIView?
    weak var source: UITableViewController?
    /// The cells on the screen.
    public private(set) var cells: [UITableViewCell] = []

    /// The rows are asked for anew (page reloadData()).
    public func reloadData() {
        guard let source else { return }
        let count = source.tableView(self, numberOfRowsInSection: 0)
        cells = (0..<count).map { source.tableView(self, cellForRowAt: IndexPath(indexes: [0, $0])) }
    }

    public func dequeueReusableCell(withIdentifier identifier: String) -> UITableViewCell? { nil }
}

extension IndexPath {
    public var row: Int { self[1] }
}

@MainActor
open class UITableViewController: UIViewController {
    public let tableView: UITableView! = UITableView(frame: .zero)
    public var refreshControl: UIRefreshControl? {
        get { tableView.refreshControl }
        set { tableView.refreshControl = newValue }
    }

    public init(style: UITableView.Style) {
        super.init(nibName: nil, bundle: nil)
        tableView.source = self
    }

    public required init?(coder: NSCoder) {
        return nil
    }

    open override func loadView() {
        view = tableView
    }

    open func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 0 }
    open func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        UITableViewCell(style: .default, reuseIdentifier: nil)
    }
    open func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}
    open func tableView(
        _ tableView: UITableView, trailingSwipeActionsConfigurationForRowAt indexPath: IndexPath
    ) -> UISwipeActionsConfiguration? { nil }
}
