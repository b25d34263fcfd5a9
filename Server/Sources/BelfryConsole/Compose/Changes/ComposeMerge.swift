import BelfryModel
import BelfryServerModel

/// What two people have made of one draft, brought together (CON-5): what one of them alone has changed is as they left
/// it; where both have, what was typed stays in the form, and the other is told beside it.
struct ComposeMerge: Sendable {
    /// The form as it goes on.
    private(set) var fields: FormFields
    /// What fields tell of it, by their names; in rows with their place behind: `variantTitle.1`.
    private(set) var marks: [String: FormMark] = [:]
    /// What no field can tell.
    private(set) var remarks: [String] = []

    /// - Parameters:
    ///   - form: as it was typed.
    ///   - base: what the form began from; nil where it is no longer kept. Then all that differs is told.
    ///   - now: what somebody else has saved.
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
            let told = if case .told(let field, _) = part.merging { [field] } else { differing }
            for field in told { marks[field] = .theirs }
            return
        }
        if let shown, part.isSame(theirs, shown) { return }
        switch part.merging {
        case .told(let field, let words): marks[field] = .both(words(now), offer: field)
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
    /// Row by row, whatever others were added or removed.
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

    /// What the page says of it.
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
    /// The field by which a person lets stand what somebody else has saved, instead of what was typed.
    static let choice = "theirs"

    /// The form with what a draft says wherever its person has chosen so.
    func choosing(from draft: CampaignDraft, _ basis: ComposeBasis) -> ComposeForm {
        var fields = self.fields
        for reference in fields.all(Self.choice) {
            let words = reference.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1).map { String(Substring($0)) }
            guard let name = words.first, let part = Self.parts(of: kind).first(where: { $0.names.contains(name) })
            else { continue }
            let shown = FormFields(part.show(draft, basis))
            switch part.merging {
            case .whole, .told: for name in part.names { fields.set(name, shown.all(name)) }
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
    /// Replaces a field of a row by what another form has in the same row; where that has none, the whole row goes.
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
