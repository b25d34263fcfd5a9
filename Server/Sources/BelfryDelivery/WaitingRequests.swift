import NIOCore

/// Requests that wait for a free stream, in order of arrival. A batch takes one entry, however long it is.
struct WaitingRequests {
    /// A part of a batch.
    struct Span {
        let batch: PushBatch
        var next: Int
        let end: Int
        let deadline: NIODeadline
    }

    /// One request.
    struct Next {
        let batch: PushBatch
        let index: Int
        let deadline: NIODeadline
    }

    let limit: Int
    private(set) var count = 0
    private var spans = CircularBuffer<Span>()

    init(limit: Int) {
        self.limit = limit
    }

    var isEmpty: Bool { count == 0 }

    /// Adds as many requests of the batch as the limit allows, and returns how many.
    mutating func append(_ batch: PushBatch, deadline: NIODeadline) -> Int {
        let accepted = max(0, min(batch.requests.count, limit - count))
        if accepted > 0 {
            spans.append(Span(batch: batch, next: 0, end: accepted, deadline: deadline))
            count += accepted
        }
        return accepted
    }

    mutating func popFirst() -> Next? {
        guard !spans.isEmpty else { return nil }
        let front = spans.startIndex
        let span = spans[front]
        if span.next + 1 == span.end {
            spans.removeFirst()
        } else {
            spans[front].next += 1
        }
        count -= 1
        return Next(batch: span.batch, index: span.next, deadline: span.deadline)
    }

    /// Puts a request back to the front, beyond the limit if necessary.
    mutating func putBack(_ next: Next) {
        spans.prepend(Span(batch: next.batch, next: next.index, end: next.index + 1, deadline: next.deadline))
        count += 1
    }

    mutating func removeAll() -> [Span] {
        let all = Array(spans)
        spans.removeAll()
        count = 0
        return all
    }

    mutating func removeLate(at now: NIODeadline) -> [Span] {
        let late = spans.filter { $0.deadline <= now }
        guard !late.isEmpty else { return [] }
        var kept = CircularBuffer<Span>()
        for span in spans where span.deadline > now { kept.append(span) }
        spans = kept
        count = kept.reduce(0) { $0 + $1.end - $1.next }
        return Array(late)
    }
}
