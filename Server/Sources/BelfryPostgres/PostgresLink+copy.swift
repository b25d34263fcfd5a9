import BelfryStore
import CLibpq

/// Many rows with one statement, in `COPY`'s binary format (FLEET-4). In both directions, rows are ``RowBytes``.
extension PostgresLink {
    /// Writes the rows that the body gives. If the body throws or the server refuses, all rows are undone and the
    /// transaction ends.
    ///
    /// - Parameter sql: `COPY … FROM STDIN (FORMAT binary)`.
    /// - Returns: how many rows were written.
    func copyIn(_ sql: SQLText, _ body: (inout CopyWriter) throws -> Void) throws -> Int {
        try command(sql)
        var writer = CopyWriter(to: pointer)
        do {
            try body(&writer)
            try writer.finish()
        } catch {
            PQputCopyEnd(pointer, "the rows are not complete")
            let end = Result { try endOfCopy() }
            // The server's error says more than the failed send does.
            if error is PostgresError, case .failure(let rejection) = end { throw rejection }
            throw error
        }
        guard PQputCopyEnd(pointer, nil) == 1 else { throw PostgresError(result: nil, link: pointer) }
        let written = try endOfCopy()
        changes += written
        return written
    }

    /// Reads rows one by one as they arrive.
    ///
    /// - Parameters:
    ///   - sql: `COPY (SELECT …) TO STDOUT (FORMAT binary)`.
    ///   - body: gets one row at a time.
    func copyOut(_ sql: SQLText, _ body: (ArraySlice<UInt8>) throws -> Void) throws {
        try command(sql)
        var rows = CopyReader()
        var failure: (any Error)?
        while true {
            var start: UnsafeMutablePointer<CChar>?
            let length = PQgetCopyData(pointer, &start, 0)
            guard length > 0, let start else { break }
            defer { PQfreemem(start) }
            // The connection can be used again only after all rows have been read.
            guard failure == nil else { continue }
            do {
                try rows.take(UnsafeRawBufferPointer(start: start, count: Int(length)), body)
            } catch {
                failure = error
            }
        }
        _ = try endOfCopy()
        if let failure { throw failure }
        guard rows.isOver else { throw CopyReader.torn }
    }

    /// Reads the server's final result and returns how many rows were written.
    private func endOfCopy() throws -> Int {
        try noting {
            let result = Result { try PostgresResult(PQgetResult(pointer), of: pointer) }
            while let more = PQgetResult(pointer) { PQclear(more) }
            return try result.get().changes
        }
    }
}

/// Writes rows that are copied into a table.
struct CopyWriter {
    /// Bytes that are given to the connection in one piece.
    private static let piece = 64 << 10
    /// The header of `COPY`'s binary format: signature, no flags, no extension.
    static let header: [UInt8] =
        Array("PGCOPY\n".utf8) + [0xff, 0x0d, 0x0a, 0] + [UInt8](repeating: 0, count: 8)
    private static let end: [UInt8] = [0xff, 0xff]

    private let pointer: OpaquePointer
    private var waiting = CopyWriter.header

    fileprivate init(to pointer: OpaquePointer) {
        self.pointer = pointer
    }

    /// - Parameter row: the bytes of a row, as made by ``RowBytes``, with the columns that the statement names.
    mutating func write(_ row: [UInt8]) throws {
        waiting += row
        if waiting.count >= Self.piece { try send() }
    }

    fileprivate mutating func finish() throws {
        waiting += Self.end
        try send()
    }

    private mutating func send() throws {
        let sent = waiting.withUnsafeBytes { bytes in
            PQputCopyData(
                pointer, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(truncatingIfNeeded: bytes.count))
        }
        guard sent == 1 else { throw PostgresError(result: nil, link: pointer) }
        waiting.removeAll(keepingCapacity: true)
    }
}

/// Splits what the server sends into rows, whatever the pieces in which it arrives.
struct CopyReader {
    static let torn = PostgresError(code: "08P01", message: "the server's rows cannot be read")

    private var waiting: [UInt8] = []
    private var hasHeader = false
    /// Whether the end marker of the rows has arrived.
    private(set) var isOver = false

    mutating func take(_ piece: UnsafeRawBufferPointer, _ body: (ArraySlice<UInt8>) throws -> Void) throws {
        waiting.append(contentsOf: piece)
        var position = 0
        if !hasHeader {
            guard waiting.count >= CopyWriter.header.count else { return }
            guard waiting.starts(with: CopyWriter.header) else { throw Self.torn }
            hasHeader = true
            position = CopyWriter.header.count
        }
        while !isOver, let end = RowBytes.end(of: waiting[...], from: position) {
            if RowBytes.read(Int16.self, waiting[...], at: position) == -1 {
                isOver = true
            } else {
                try body(waiting[position..<end])
            }
            position = end
        }
        waiting.removeFirst(position)
    }
}
