import BelfryModel
import BelfryServerModel

/// Merges the changes of two people to one draft (CON-5). A value that only one of them changed is as they left it.
/// Where both changed a value, the form keeps what was typed, and shows the stored value beside it.
struct ComposeMerge: Sendable {
    /// The merged form.
    private(set) var fields: FormFields
    /// Marks of the merged fields, by field name. In rows the place follows the name: `variantTitle.1`.
    private(set) var marks: [String: FormMark] = [:]
    /// Changes that no field can show, in sentences.
    private(set) var remarks: [String] = []

    /// - Parameters:
    ///   - form: the form as it was typed.
    ///   - base: the draft that the form began from; nil where it is no longer kept. Then every difference is marked.
    ///   - now: the draft that somebody else has saved.
    init(_ form: ComposeForm, from base: CampaignDraft?, over now: CampaignDraft, _ basis: ComposeBasis) {
        fields = form.fields
        for part in ComposeForm.parts(of: now.kind) {
            merge(part, from: base.map { FormFields(part.show($0, basis)) }, over: part.show(now, basis), now)
        }
    }

    private mutating func merge(
        _ part: ComposePart, from shown: FormFields?, over values: ComposePart.Values, _ now: CampaignDraft
    ) {
        let theirs = FormFields(values)
        guard part.names.contains(where: fields.contains) else { return put(part.names, theirs) }
        guard !part.isSame(fields, theirs) else { return }
        if case .rows(let rows) = part.merging { return merge(rows, from: shown, over: theirs) }
        let differing = part.names.filter { !ComposePart.isSame($0, fields, theirs) }
        if let shown, part.isSame(fields, shown) {
            put(part.names, theirs)
            let marked = if case .described(let field, _) = part.merging { [field] } else { differing }
            for field in marked { marks[field] = .theirs }
            return
        }
        if let shown, part.isSame(theirs, shown) { return }
        switch part.merging {
        case .described(let field, let words): marks[field] = .both(words(now), offer: field)
        case .fields: for field in differing { merge(field, from: shown, over: theirs) }
        case .whole, .rows:
            for field in differing {
                marks[field] = .both(theirs[field], offer: field == differing.first ? field : nil)
            }
        }
    }

    private mutating func merge(_ field: String, from shown: FormFields?, over theirs: FormFields) {
        if let shown, ComposePart.isSame(field, fields, shown) {
            put([field], theirs)
            marks[field] = .theirs
        } else if let shown, ComposePart.isSame(field, theirs, shown) {
            return
        } else {
            marks[field] = .both(theirs[field], offer: field)
        }
    }

    private mutating func put(_ names: [String], _ other: FormFields) {
        for name in names { fields.set(name, other.all(name)) }
    }
}

extension ComposeMerge {
    /// Merges rows by their keys, whichever other rows were added or removed.
    private mutating func merge(_ keyed: ComposePart.KeyedRows, from shown: FormFields?, over theirs: FormFields) {
        let rows = RowMerge(
            keyed, base: shown.map(keyed.rows.used), mine: keyed.rows.used(fields), theirs: keyed.rows.used(theirs)
        )
        remarks += rows.remarks
        for name in keyed.rows.names { fields.set(name, rows.merged.map { $0.values[name] ?? "" }) }
        for (place, row) in rows.merged.enumerated() {
            for (name, mark) in row.marks {
                let field = "\(name).\(place)"
                let placed: FormMark = if case .both(let value, _) = mark { .both(value, offer: field) } else { mark }
                marks[field] = placed
            }
        }
    }

    /// The summary of the merge for the page.
    var sentence: String {
        var sentences = ["Their changes were not overwritten, and what you typed is still here."]
        if marks.values.contains(.theirs) {
            sentences.append("Fields that only they changed now show their values, with a note.")
        }
        let asked = marks.values.filter { $0.offer != nil }.count
        if asked > 0 {
            let places = Figures.count(asked, "place", "places")
            sentences.append("In \(places) you both changed the same field: it shows your value, with theirs below.")
        }
        return (sentences + remarks).joined(separator: " ")
    }
}

extension ComposeForm {
    /// The form field that lists where the editor takes the stored value instead of the typed one.
    static let choice = "theirs"

    /// The form with the values of a draft wherever the editor chose them.
    func choosing(from draft: CampaignDraft, _ basis: ComposeBasis) -> ComposeForm {
        var fields = self.fields
        for reference in fields.all(Self.choice) {
            let words = reference.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1).map { String(Substring($0)) }
            guard let name = words.first, let part = Self.parts(of: kind).first(where: { $0.names.contains(name) })
            else { continue }
            let shown = FormFields(part.show(draft, basis))
            switch part.merging {
            case .whole, .described: for name in part.names { fields.set(name, shown.all(name)) }
            case .fields: fields.set(name, shown.all(name))
            case .rows(let rows):
                guard words.count > 1, let place: Int = WholeNumber.read(words[1]) else { continue }
                fields.choose(name, at: place, of: rows, from: shown)
            }
        }
        fields.set(Self.choice, [])
        return ComposeForm(fields, kind: kind)
    }
}

extension FormFields {
    /// Replaces a field of a row by the value that another form has in the same row. If the other form does not have
    /// the row, the whole row is cleared.
    fileprivate mutating func choose(
        _ name: String, at place: Int, of keyed: ComposePart.KeyedRows, from shown: FormFields
    ) {
        let rows = keyed.rows.all(self)
        guard rows.indices.contains(place) else { return }
        let key = rows[place][keyed.key]
        let other = key.isEmpty ? nil : keyed.rows.used(shown).first { $0[keyed.key] == key }
        for field in keyed.rows.names where field == name || other == nil {
            var values = rows.map { $0[field] }
            values[place] = other?[field] ?? ""
            set(field, values)
        }
    }
}
