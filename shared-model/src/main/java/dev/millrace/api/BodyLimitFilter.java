package dev.millrace.api;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses bodies above a limit: at once when Content-Length tells, else (chunked, or a lying
 * length) when the limit has been read. Nothing beyond the limit is ever kept in memory.
 */
final class BodyLimitFilter extends OncePerRequestFilter {

  private final long limitBytes;

  BodyLimitFilter(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    if (request.getContentLengthLong() > limitBytes) {
      response.sendError(413, new BodyTooLargeException(limitBytes).getMessage());
      return;
    }
    chain.doFilter(new LimitedRequest(request, limitBytes), response);
  }

  private static final class LimitedRequest extends HttpServletRequestWrapper {

    private final long limitBytes;
    private LimitedStream stream;

    LimitedRequest(HttpServletRequest request, long limitBytes) {
      super(request);
      this.limitBytes = limitBytes;
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
      if (stream == null) {
        stream = new LimitedStream(super.getInputStream(), limitBytes);
      }
      return stream;
    }
  }

  private static final class LimitedStream extends ServletInputStream {

    private final ServletInputStream body;
    private final long limitBytes;
    private long readBytes;

    LimitedStream(ServletInputStream body, long limitBytes) {
      this.body = body;
      this.limitBytes = limitBytes;
    }

    private void count(int bytes) throws BodyTooLargeException {
      readBytes += Math.max(bytes, 0);
      if (readBytes > limitBytes) {
        throw new BodyTooLargeException(limitBytes);
      }
    }

    @Override
    public int read() throws IOException {
      int value = body.read();
      count(value < 0 ? 0 : 1);
      return value;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      int read = body.read(buffer, offset, length);
      count(read);
      return read;
    }

    @Override
    public boolean isFinished() {
      return body.isFinished();
    }

    @Override
    public boolean isReady() {
      return body.isReady();
    }

    @Override
    public void setReadListener(ReadListener listener) {
      body.setReadListener(listener);
    }
  }
}
