import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation
import Hummingbird

/// The attributes of an app's contacts: define them one by one or in bulk, change, remove (CON-10, REG-25).
enum AttributePages {
    private static let page = "/apps/{app}/settings/attributes"

    static let routes: [ConsoleRoute] = [
        .get(page, .app(.administer)) { call in .page(try await shown(call)) },
        .post("\(page)/define", .app(.administer), audit: nil, define).keepingForm,
        .post("\(page)/change", .app(.administer), audit: nil, change),
        .get("\(page)/remove", .app(.administer)) { call in .page(try await question(call, call.query["key"])) },
        .post("\(page)/remove", .app(.administer), audit: nil, remove),
    ]

    private static func define(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let (app, text) = (try call.inApp(), call.form["definitions"])
        let version = call.form["version"]
        do {
            let definitions = try AttributeLines.read(text)
            let keys = try await call.auditing("attribute.defineAll") {
                try await call.services.apps.defineAttributes(
                    definitions, field: "definitions", app: app, unless: Self.differs(from: version)
                )
            } naming: { keys in
                NameList.text(keys.map(\.rawValue))
            }
            return .redirect(
                call.link(SettingsPlace.attributes.path),
                notice: .done("\(Figures.count(keys.count, "attribute is", "attributes are")) defined.")
            )
        } catch {
            return try await rejected(call, error, typed: text)
        }
    }

    private static func change(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let (app, key) = (try call.inApp(), call.form["key"])
        do {
            guard let type = AttributeType(rawValue: call.form["type"]) else {
                throw FormProblems("type", "Choose a type for '\(String(key.prefix(64)).isolated)'.")
            }
            _ = try await call.auditing("attribute.define", to: String(key.prefix(AttributeKey.maximumLength))) {
                try await call.services.apps.defineAttributes(
                    [(key: key, type: type)], field: "key", app: app,
                    unless: Self.differs(from: call.form["version"])
                )
            }
            return .redirect(
                call.link(SettingsPlace.attributes.path),
                notice: .done("'\(key.isolated)' is \(AttributeLines.words(type)) now. Its values are read again.")
            )
        } catch {
            return try await rejected(call, error, typed: "", changed: (key, call.form["type"]))
        }
    }

    private static func question(_ call: ConsoleCall, _ key: String, problem: String? = nil) async throws -> Page {
        let schema = try await call.services.apps.attributes(of: try call.inApp())
        guard let type = schema[key] else { throw ServiceError.notFound(what: "attribute", id: String(key.prefix(64))) }
        let desk = try SettingsDesk(call, .attributes)
        return desk.page(
            "confirm",
            ConfirmModel(
                "Remove the attribute '\(key.isolated)'?",
                consequences: [
                    "It is \(AttributeLines.words(type)). All contacts lose their values of it, in the background.",
                    "It is rejected from devices that still send it. Defined again, it gets the values that "
                        + "devices sent last.",
                ],
                button: "Remove it", form: "\(desk.address)/remove", back: desk.address, backTitle: "Attributes",
                formToken: desk.formToken, hidden: ["key": key, "version": AttributeLines.version(schema)],
                problem: problem
            )
        )
    }

    private static func remove(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let (app, key) = (try call.inApp(), call.form["key"])
        do {
            _ = try await call.auditing("attribute.remove") {
                try await call.services.apps.removeAttribute(
                    key, app: app, unless: Self.differs(from: call.form["version"])
                )
            } naming: { removed in
                removed.rawValue
            }
            return .redirect(
                call.link(SettingsPlace.attributes.path), notice: .done("The attribute '\(key.isolated)' was removed.")
            )
        } catch ServiceError.conflict(let code, let message) {
            let advice = code == FormProblems.changed ? " The stored type is below." : ""
            return .pageWithStatus(try await question(call, key, problem: message + advice), .conflict)
        }
    }

    private static func differs(from version: String) -> @Sendable ([String: AttributeType]) throws -> Void {
        { schema in guard AttributeLines.version(schema) == version else { throw EditedState.conflict } }
    }

    private static func rejected(
        _ call: ConsoleCall, _ error: any Error, typed: String, changed: (key: String, type: String)? = nil
    ) async throws -> ConsoleResponse {
        if case ServiceError.conflict(code: FormProblems.changed, message: _) = error {
            return .pageWithStatus(try await shown(call, typed: typed, changed: changed, isConflict: true), .conflict)
        }
        guard let problems = FormProblems(error, fields: ["definitions"]) else { throw error }
        let page = try await shown(call, typed: typed, changed: changed, problems)
        return .pageWithStatus(page, .unprocessableContent)
    }

    private static func shown(
        _ call: ConsoleCall, typed: String = "", changed: (key: String, type: String)? = nil,
        _ problems: FormProblems = FormProblems(), isConflict: Bool = false
    ) async throws -> Page {
        let schema = try await call.services.apps.attributes(of: try call.inApp())
        let desk = try SettingsDesk(call, .attributes)
        let model = AttributesModel(
            desk, schema, typed: typed, changed: changed, problems, isConflict: isConflict
        )
        return desk.page("settings-attributes", model)
    }
}

/// Attributes as lines of text: `city string`.
enum AttributeLines {
    private static let separators = [" ", "=", ":", "\t"].flatMap(\.utf8)

    static func read(_ text: String) throws(FormProblems) -> [(key: String, type: AttributeType)] {
        var found: [(key: String, type: AttributeType)] = []
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"))
        for line in lines {
            let line = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            guard !line.isEmpty else { continue }
            // A name may contain spaces, so the type is the last word.
            let end = line.utf8.lastIndex { separators.contains($0) } ?? line.utf8.startIndex
            let key = line[..<end].trimmingCharacters(in: CharacterSet(charactersIn: " =:\t"))
            guard !key.isEmpty, let type = AttributeType(rawValue: String(line[line.utf8.index(after: end)...])) else {
                throw FormProblems(
                    "definitions",
                    "'\(String(line.prefix(80)).isolated)' is no definition. Write a key and a type on each line: string, number, "
                        + "boolean or date."
                )
            }
            found.append((key: key, type: type))
        }
        guard !found.isEmpty else {
            throw FormProblems("definitions", "Write at least one line, such as: city string.")
        }
        return found
    }

    static func version(_ schema: [String: AttributeType]) -> String {
        EditedState.text(schema.mapValues(\.rawValue))
    }

    static func words(_ type: AttributeType) -> String {
        switch type {
        case .string: "a text"
        case .number: "a number"
        case .boolean: "yes or no"
        case .date: "a date"
        }
    }

    static let choices = AttributeType.allCases.map { FormChoice($0.rawValue, "\($0.rawValue): \(words($0))") }
}

/// The page of an app's attributes.
struct AttributesModel: Sendable {
    struct Line: Sendable {
        let key: String
        let type: FormField
        let removeAddress: String
    }

    let tabs: [Tab]
    let tabsLabel = "Settings"
    let formToken: String
    let version: String
    let formError: String?
    let isConflict: Bool
    /// The change that was refused because somebody else had changed the attributes.
    let wanted: String?
    let isEmpty: Bool
    let count: String
    let lines: [Line]
    let definitions: FormField
    /// Whether the form shows input that could not be saved.
    let isTyped: Bool
    let defineAddress: String
    let changeAddress: String
    let command: String

    init(
        _ desk: SettingsDesk, _ schema: [String: AttributeType], typed: String,
        changed: (key: String, type: String)?, _ problems: FormProblems, isConflict: Bool
    ) {
        tabs = desk.tabs
        formToken = desk.formToken
        version = AttributeLines.version(schema)
        formError =
            problems.summary.map { ([$0] + [problems["type"]].compactMap(\.self)).joined(separator: " ") }
        self.isConflict = isConflict
        wanted = isConflict ? changed.map { "You wanted '\($0.key.isolated)' to be \($0.type.isolated)." } : nil
        isEmpty = schema.isEmpty
        count = "\(Figures.count(schema.count)) of \(Figures.count(AppService.maximumAttributes))"
        lines = schema.sorted { $0.key < $1.key }.enumerated().map { index, entry in
            Line(
                key: entry.key,
                type: FormField(
                    "type", .choice(AttributeLines.choices), "Type of \(entry.key)", value: entry.value.rawValue,
                    part: String(index)
                ),
                removeAddress: "\(desk.address)/remove?key=\(WireURL.encoded(entry.key))"
            )
        }
        definitions = FormField(
            "definitions", .code, "Define attributes", value: typed,
            hint: "A key and a type on each line, such as: city string. Types: string, number, boolean, date.",
            problem: problems["definitions"]
        )
        isTyped = !typed.isEmpty
        defineAddress = "\(desk.address)/define"
        changeAddress = "\(desk.address)/change"
        command = "belfry app attribute \(desk.app.code.rawValue) city string"
    }
}
