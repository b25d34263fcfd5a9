import BelfryModel
import BelfryServices
import Foundation
import Hummingbird

/// The audit log in sentences, with a search (CON-10).
enum AuditPages {
    static let pageSize = 50

    static let routes: [ConsoleRoute] = [
        .get(OperationsPlace.audit.path, .operators) { call in
            let form = AuditForm(call.query)
            let cursor: Int64? = WholeNumber.read(call.query["before"])
            let found = try await call.services.access.log.list(
                matching: form.search, before: cursor, limit: pageSize
            )
            let desk = try OperationsDesk(call, .audit)
            let model = AuditModel(desk, found, form: form, isFirstPage: cursor == nil)
            return .page(desk.page("operations-audit", model))
        }
    ]
}

/// The search in the audit log.
struct AuditForm: Hashable, Sendable {
    let app: String
    let person: String
    let action: String
    let showsReads: Bool

    init(_ query: FormFields) {
        app = query["app"].trimmed
        person = query["person"].trimmed
        action = query["action"]
        showsReads = query["reads"] == FormField.on
    }

    var search: AuditLog.Search {
        AuditLog.Search(
            app: app.isEmpty ? nil : app, actor: AuditWords.actor(typed: person), action: action.isEmpty ? nil : action,
            leavesOutReads: !showsReads
        )
    }

    /// The address of this search's results, from a line on.
    func address(before cursor: Int64?) -> String {
        let fields = [
            ("app", app), ("person", person), ("action", action), ("reads", showsReads ? FormField.on : ""),
            ("before", cursor.map { String($0) } ?? ""),
        ].filter { !$0.1.isEmpty }.map { "\($0.0)=\(WireURL.encoded($0.1))" }
        return OperationsPlace.audit.address + (fields.isEmpty ? "" : "?\(fields.joined(separator: "&"))")
    }
}

/// The page of the audit log.
struct AuditModel: Sendable {
    struct Line: Sendable {
        let at: String
        let actor: String
        let deed: String
        let lineApp: String?
    }

    let tabs: [Tab]
    let tabsLabel = "Operations"
    let formAddress = OperationsPlace.audit.address
    let fields: [FormField]
    let lines: [Line]
    let isEmpty: Bool
    let emptyTitle: String
    let emptySentence: String
    let isFirstPage: Bool
    let firstAddress: String
    let olderAddress: String?
    let olderTitle: String

    init(_ desk: OperationsDesk, _ found: AuditLog.Found, form: AuditForm, isFirstPage: Bool) {
        tabs = desk.tabs
        fields = [
            FormField(
                "person", .line, "Who", value: form.person, hint: "A person's name, a key such as key-7, or root."),
            FormField("app", .line, "App", value: form.app, hint: "Its code."),
            FormField(
                "action", .choice([FormChoice("", "Anything")] + AuditWords.choices), "What was done",
                value: form.action
            ),
            FormField(
                "reads", .check, "Show reading, too", value: form.showsReads ? FormField.on : "",
                hint: "Programs read all the time; changes are easier to find without it."
            ),
        ]
        lines = found.entries.map { entry in
            Line(
                at: Moment.text(entry.at), actor: AuditWords.actor(entry.actor), deed: AuditWords.deed(entry),
                lineApp: entry.app
            )
        }
        isEmpty = found.entries.isEmpty
        let looked = "\(isFirstPage ? "the newest" : "the next") \(Figures.count(AuditLog.searchWindow)) lines"
        emptyTitle = found.next == nil ? "Nothing was found" : "Nothing among \(looked)"
        emptySentence =
            found.next == nil
            ? "Nothing matches this search. Lines are kept for the time that the server's settings say."
            : "There may be older lines that match: search further, or search for less."
        self.isFirstPage = isFirstPage
        firstAddress = form.address(before: nil)
        olderAddress = found.next.map { form.address(before: $0) }
        olderTitle = found.entries.count < AuditPages.pageSize ? "Look further back" : "Older"
    }
}
