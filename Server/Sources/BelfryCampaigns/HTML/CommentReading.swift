/// Where a comment may end (HTML standard, 13.2.5.43 to 13.2.5.51).
struct CommentReading: Hashable {
    private enum Stage: Hashable {
        /// Behind `<!--`, and behind one more dash.
        case start, startDash
        case inside
        /// Behind `-`, `--` and `--!`.
        case dash, end, endBang
    }

    enum Step: Hashable {
        case continues, ends
        /// A recipient's value decides: it stands before, and may end with dashes.
        case isOpen
    }

    private var stage = Stage.start
    /// Whether nothing but dashes and `!` stands behind a recipient's value.
    private var isBehindValue = false

    mutating func read(_ byte: UInt8) -> Step {
        switch byte {
        case HTMLByte.dash: stage = Self.behindDash(stage)
        case HTMLByte.bang:
            stage = stage == .end ? .endBang : .inside
        case HTMLByte.greater:
            if stage != .inside, stage != .dash { return .ends }
            if isBehindValue { return .isOpen }
            stage = .inside
        default: (stage, isBehindValue) = (.inside, false)
        }
        return .continues
    }

    mutating func takeValue() {
        (stage, isBehindValue) = (.inside, true)
    }

    private static func behindDash(_ stage: Stage) -> Stage {
        switch stage {
        case .start: .startDash
        case .startDash, .dash, .end: .end
        case .inside, .endBang: .dash
        }
    }
}
