/// The state of a browser's tokenizer in an HTML text, byte by byte (HTML standard, 13.2.5).
///
/// Where the state depends on the surrounding elements, or on whether scripts run, every possibility is followed:
/// ``read(_:_:)`` returns the alternative state.
struct HTMLState: Hashable {
    enum Kind: Hashable {
        /// Between tags.
        case text
        /// After `<`, `</` and `<!`.
        case tagOpen, endTagOpen, declaration
        case comment
        /// Ends at the next `>`: `<!doctype`, `<?` and the like.
        case bogusComment
        /// `<![CDATA[`, inside SVG and MathML.
        case characterData
        case tagName
        /// In a tag, where an attribute's name may begin.
        case tag
        case attributeName, attributeNameEnd, valueStart
        /// Nil: without quotes.
        case value(quote: UInt8?)
        /// In an element whose text contains no tags except its own end tag.
        case raw
        /// After `<plaintext>`, up to the end.
        case plain
    }

    private(set) var kind = Kind.text
    /// In lower case: the name of the tag, or of the element in ``Kind/raw``; in a declaration, what has been read of
    /// it.
    private(set) var element: [UInt8] = []
    private var isEndTag = false
    /// The name of the attribute, in lower case.
    private(set) var attribute: [UInt8] = []
    private var value = ValueReading.text
    private var comment = CommentReading()
    /// How many bytes of its end have been read, in ``Kind/raw`` and ``Kind/characterData``.
    private var matched = 0
    private var script = ScriptReading()
    /// The style sheet, if the text is one.
    private var style: StyleReading?
    /// Whether this reading treats as markup what every known browser treats as the text of ``HTMLElements/raw``. What
    /// is not permitted is rejected in this reading, too, but nothing else follows from it.
    private var isDoubtful = false

    /// Whether only `<` has a meaning.
    var isPlainText: Bool { kind == .text && style == nil }

    /// States differ in the values read, rarely in names. So names are compared when needed, and not hashed for every
    /// byte.
    func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(value)
        hasher.combine(style)
        hasher.combine(element.count)
        hasher.combine(attribute.count)
    }

    /// Whether two ways through a template have led to the same place.
    func agrees(with other: HTMLState) -> Bool {
        guard element == other.element, isEndTag == other.isEndTag else { return false }
        return (isBetween && other.isBetween) || (kind == other.kind && attribute == other.attribute)
    }

    /// Whether two ways may lead to the same place, compared at the beginning or end of a section, which may contain
    /// whole attributes.
    func mayMeet(_ other: HTMLState) -> Bool {
        agrees(with: other)
            || (element == other.element && isEndTag == other.isEndTag && isAmongAttributes && other.isAmongAttributes)
    }

    private var isBetween: Bool { kind == .tag || kind == .attributeNameEnd }
    private var isAmongAttributes: Bool { isBetween || kind == .attributeName }
}

// MARK: Reading

extension HTMLState {
    /// Reads a byte.
    ///
    /// - Returns: the alternative state, if a browser may be in another one.
    mutating func read(_ byte: UInt8, _ judge: inout HTMLErrorCollector) -> HTMLState? {
        switch kind {
        case .text: readText(byte, &judge)
        case .tagOpen: readTagOpen(byte, &judge)
        case .endTagOpen: readEndTagOpen(byte)
        case .declaration: return readDeclaration(byte)
        case .comment: readComment(byte, &judge)
        case .bogusComment: if byte == HTMLByte.greater { leave() }
        case .characterData: readCharacterData(byte, &judge)
        case .tagName: return readTagName(byte, &judge)
        case .tag: return readTag(byte, &judge)
        case .attributeName: return readAttributeName(byte, &judge)
        case .attributeNameEnd: return readAttributeNameEnd(byte, &judge)
        case .valueStart: return readValueStart(byte, &judge)
        case .value(let quote): return readValue(byte, quote, &judge)
        case .raw: readRaw(byte, &judge)
        case .plain: break
        }
        return nil
    }

    /// Judges an unfinished end, because an app may append to the text.
    mutating func end(_ judge: inout HTMLErrorCollector) {
        switch kind {
        case .tagName: if !isEndTag { judge.judge(element: element, isCertain: !isDoubtful) }
        case .attributeName: endAttributeName(&judge)
        case .value: endValue(&judge)
        default: break
        }
    }

    private mutating func readText(_ byte: UInt8, _ judge: inout HTMLErrorCollector) {
        if byte == HTMLByte.less { kind = .tagOpen } else { readStyle(byte, &judge) }
    }

    private mutating func readTagOpen(_ byte: UInt8, _ judge: inout HTMLErrorCollector) {
        switch byte {
        case HTMLByte.slash: kind = .endTagOpen
        case HTMLByte.bang: kind = .declaration
        case UInt8(ascii: "?"): kind = .bogusComment
        case _ where HTMLByte.isLetter(byte): (kind, element, isEndTag) = (.tagName, [HTMLByte.lowered(byte)], false)
        default:
            kind = .text
            readStyle(HTMLByte.less, &judge)
            readText(byte, &judge)
        }
    }

    private mutating func readEndTagOpen(_ byte: UInt8) {
        switch byte {
        case HTMLByte.greater: leave()
        case _ where HTMLByte.isLetter(byte): (kind, element, isEndTag) = (.tagName, [HTMLByte.lowered(byte)], true)
        default: kind = .bogusComment
        }
    }

    private mutating func readDeclaration(_ byte: UInt8) -> HTMLState? {
        let read = element + [byte]
        if read == [HTMLByte.dash, HTMLByte.dash] {
            (kind, element, comment) = (.comment, [], CommentReading())
        } else if read == HTMLElements.characterData {
            (kind, element) = (.bogusComment, [])
            var beside = self
            beside.kind = .characterData
            return beside
        } else if read == [HTMLByte.dash] || HTMLElements.characterData.starts(with: read) {
            element = read
        } else {
            (kind, element) = (.bogusComment, [])
            if byte == HTMLByte.greater { leave() }
        }
        return nil
    }

    private mutating func readComment(_ byte: UInt8, _ judge: inout HTMLErrorCollector) {
        switch comment.read(byte) {
        case .continues: break
        case .ends: leave()
        case .isOpen:
            judge.reject("unsafePlace", "a value can decide whether a comment ends: put a space after the value")
        }
    }

    private mutating func readCharacterData(_ byte: UInt8, _ judge: inout HTMLErrorCollector) {
        readStyle(byte, &judge)
        if byte == HTMLByte.greater, matched == 2 { return leave() }
        matched = byte == UInt8(ascii: "]") ? min(matched + 1, 2) : 0
    }

    private mutating func readRaw(_ byte: UInt8, _ judge: inout HTMLErrorCollector) {
        if element == HTMLElements.style { readStyle(byte, &judge) }
        guard endsRaw(before: byte) else { return }
        if element == HTMLElements.style { style = nil }
        (isEndTag, matched, script) = (true, 0, ScriptReading())
        if byte == HTMLByte.greater { leave() } else { kind = .tag }
    }

    private mutating func endsRaw(before byte: UInt8) -> Bool {
        if element == HTMLElements.script { return script.ends(before: byte) }
        let length = element.count + 2
        if matched == length {
            if HTMLByte.isSpace(byte) || byte == HTMLByte.slash || byte == HTMLByte.greater { return true }
            matched = 0
        }
        let next = matched == 0 ? HTMLByte.less : matched == 1 ? HTMLByte.slash : element[matched - 2]
        matched = HTMLByte.lowered(byte) == next ? matched + 1 : byte == HTMLByte.less ? 1 : 0
        return false
    }

    private mutating func readStyle(_ byte: UInt8, _ judge: inout HTMLErrorCollector) {
        if let error = style?.read(byte) { judge.judge(error) }
    }

    /// Returns to the text between tags.
    private mutating func leave() {
        let (style, isDoubtful) = (self.style, self.isDoubtful)
        self = HTMLState()
        (self.style, self.isDoubtful) = (style, isDoubtful)
    }
}

// MARK: Tags

extension HTMLState {
    private mutating func readTagName(_ byte: UInt8, _ judge: inout HTMLErrorCollector) -> HTMLState? {
        let isOver = HTMLByte.isSpace(byte) || byte == HTMLByte.slash || byte == HTMLByte.greater
        guard isOver else {
            HTMLErrorCollector.append(byte, to: &element)
            return nil
        }
        if !isEndTag {
            judge.judge(element: element, isCertain: !isDoubtful)
            // The end of such an element would be uncertain.
            if style != nil { judge.reject("notAllowed", "there is an element in <style>, which only contains text") }
        }
        kind = .tag
        return readTag(byte, &judge)
    }

    private mutating func readTag(_ byte: UInt8, _ judge: inout HTMLErrorCollector) -> HTMLState? {
        switch byte {
        case _ where HTMLByte.isSpace(byte): break
        case HTMLByte.slash: kind = .tag
        case HTMLByte.greater: return endTag(judge.mayBeForeign)
        // A name may begin with an equals sign.
        default: (kind, attribute) = (.attributeName, [HTMLByte.lowered(byte)])
        }
        return nil
    }

    private mutating func readAttributeName(_ byte: UInt8, _ judge: inout HTMLErrorCollector) -> HTMLState? {
        switch byte {
        case HTMLByte.slash, HTMLByte.greater:
            endAttributeName(&judge)
            kind = .tag
            attribute = []
            return readTag(byte, &judge)
        case HTMLByte.equals:
            endAttributeName(&judge)
            kind = .valueStart
        case _ where HTMLByte.isSpace(byte):
            endAttributeName(&judge)
            kind = .attributeNameEnd
        default: HTMLErrorCollector.append(byte, to: &attribute)
        }
        return nil
    }

    private mutating func readAttributeNameEnd(_ byte: UInt8, _ judge: inout HTMLErrorCollector) -> HTMLState? {
        if byte == HTMLByte.equals {
            kind = .valueStart
            return nil
        }
        if HTMLByte.isSpace(byte) { return nil }
        (kind, attribute) = (.tag, [])
        return readTag(byte, &judge)
    }

    private mutating func readValueStart(_ byte: UInt8, _ judge: inout HTMLErrorCollector) -> HTMLState? {
        if HTMLByte.isSpace(byte) { return nil }
        // Attributes of an end tag have no meaning.
        value =
            isEndTag
            ? .text : HTMLRules.reading(of: HTMLErrorCollector.text(attribute), in: HTMLErrorCollector.text(element))
        switch byte {
        case HTMLByte.quote, HTMLByte.apostrophe:
            kind = .value(quote: byte)
            return nil
        case HTMLByte.greater:
            endValue(&judge)
            return endTag(judge.mayBeForeign)
        default:
            kind = .value(quote: nil)
            return readValue(byte, nil, &judge)
        }
    }

    private mutating func readValue(_ byte: UInt8, _ quote: UInt8?, _ judge: inout HTMLErrorCollector) -> HTMLState? {
        let isOver = quote.map { byte == $0 } ?? (HTMLByte.isSpace(byte) || byte == HTMLByte.greater)
        guard isOver else {
            if let error = value.read(byte) { judge.judge(error, of: attribute) }
            return nil
        }
        endValue(&judge)
        return quote == nil ? readTag(byte, &judge) : nil
    }

    private mutating func endAttributeName(_ judge: inout HTMLErrorCollector) {
        if !isEndTag { judge.judge(attribute: attribute, in: element) }
    }

    private mutating func endValue(_ judge: inout HTMLErrorCollector) {
        if let error = value.end() { judge.judge(error, of: attribute) }
        (kind, attribute, value) = (.tag, [], .text)
    }

    private mutating func endTag(_ mayBeForeign: Bool) -> HTMLState? {
        let (name, isEnd) = (element, isEndTag)
        leave()
        guard HTMLElements.raw.contains(name) else { return nil }
        style = name == HTMLElements.style ? isEnd ? nil : StyleReading(isText: true) : style
        if isEnd {
            isDoubtful = false
            return nil
        }
        var beside = self
        kind = name == HTMLElements.plain ? .plain : .raw
        element = name == HTMLElements.plain ? [] : name
        guard !mayBeForeign, name != HTMLElements.scriptless else { return beside }
        // Code often looks like tags, and it is present only where script is permitted.
        if name == HTMLElements.script { return nil }
        (beside.isDoubtful, beside.style) = (true, nil)
        return beside
    }
}

// MARK: Values

extension HTMLState {
    /// Reads a recipient's value: any escaped text, so it contains no markup. It may be empty.
    ///
    /// - Returns: why it is not permitted here, continuing "{{x}} is"; nil if it is.
    mutating func takeValue() -> String? {
        switch kind {
        case .text: return style == nil ? nil : "in <style>"
        case .comment:
            comment.takeValue()
            return nil
        case .raw:
            let name = HTMLErrorCollector.text(element)
            return HTMLElements.text.contains(element) ? (matched == 0 ? nil : "in a tag of <\(name)>") : "in <\(name)>"
        case .plain: return nil
        case .value(quote: .some):
            return value.errorOfValue(in: String(HTMLErrorCollector.text(attribute).prefix(32)))
        case .characterData, .bogusComment: return "in a declaration"
        case .tagOpen, .endTagOpen, .declaration, .tagName, .tag, .attributeName, .attributeNameEnd, .valueStart,
            .value(quote: nil):
            return "in a tag outside of quotes"
        }
    }
}
