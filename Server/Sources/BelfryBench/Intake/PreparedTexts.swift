import Foundation

/// Texts that each thread of wrk loads before the clock starts, so that sending one needs no string operations.
enum PreparedTexts {
    /// The byte after each text. It does not occur in HTTP heads or JSON.
    private static let separator: UInt8 = 0x1e

    /// The content of a file that `load_texts` of ``script(threads:)`` reads.
    static func file(_ texts: some Sequence<Data>) -> Data {
        var file = Data()
        for text in texts {
            file += text
            file.append(separator)
        }
        return file
    }

    /// The beginning of a script with prepared texts. Its `init` calls `load_texts` and then `loaded`; the second call
    /// of `request` calls `wait_for_others`.
    ///
    /// wrk starts each thread when its `init` is done, and the clock after the last of them. Without the wait, the
    /// first thread would send while the others load, and those requests would count. The first call of `request` is
    /// made before any thread runs, to look at the request.
    static func script(threads: Int) -> String {
        """
        everyThread = {}

        function setup(thread)
          everyThread[#everyThread + 1] = thread
          thread:set("number", #everyThread)
        end

        function load_texts(path)
          local file = assert(io.open(path, "rb"))
          local texts = {}
          for text in file:read("*a"):gmatch("[^\\30]+") do texts[#texts + 1] = text end
          file:close()
          collectgarbage()
          return texts
        end

        -- The mark is a file that the last thread makes; each run has its own.
        function loaded(path)
          mark = path
          if number == \(threads) then assert(io.open(mark, "wb")):close() end
        end

        function wait_for_others()
          local file
          repeat file = io.open(mark, "rb") until file
          file:close()
        end

        """
    }
}
